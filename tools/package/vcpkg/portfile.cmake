# The libraries without the program, whose page needs esbuild, which vcpkg lacks.
# tools/package/fill_in fills in the names between @.
set(OWNER "@OWNER@")
vcpkg_download_distfile(ARCHIVE
    URLS "https://github.com/${OWNER}/firth/releases/download/v${VERSION}/firth-${VERSION}.tar.gz"
    FILENAME "firth-${VERSION}.tar.gz"
    SHA512 "@SHA512@"
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

# vcpkg has no port of libmurmurhash. It is built once: its code is the same in
# release and debug builds.
vcpkg_from_github(
    OUT_SOURCE_PATH MURMURHASH_PATH
    REPO kloetzl/libmurmurhash
    REF v1.5
    SHA512 b64eff9f0ae8238c82b6169b8fddf30199f6adb7d08ad46ac71d7010e65289696e285b380bc3de1876ec95414130a81efe9998c59bc3747f19805e7691d7861c
)
vcpkg_execute_required_process(
    COMMAND "${SOURCE_PATH}/tools/package/murmurhash" "${MURMURHASH_PATH}" "${CURRENT_PACKAGES_DIR}"
    WORKING_DIRECTORY "${SOURCE_PATH}"
    LOGNAME "murmurhash-${TARGET_TRIPLET}"
)

vcpkg_find_acquire_program(PKGCONFIG)
set(ENV{PKG_CONFIG_PATH} "${CURRENT_PACKAGES_DIR}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DFIRTH_BATCHES=ON
        -DFIRTH_BUILD_C=ON
        -DFIRTH_BUILD_PROGRAM=OFF
        -DFIRTH_INSTALL=ON
        "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/firth)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${MURMURHASH_PATH}/NOLICENSE")
