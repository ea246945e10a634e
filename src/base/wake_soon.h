#ifndef FIRTH_BASE_WAKE_SOON_H_
#define FIRTH_BASE_WAKE_SOON_H_

namespace firth {

// Asks the system to let the calling thread work soon after it wakes, where
// others keep all cores busy. It is for a thread that works now and then while
// others wait for it. Linux heeds this since 6.12, and ignores it before; it
// takes no privilege, and gives the thread no greater share of a core.
void WakeSoon();

}  // namespace firth

#endif  // FIRTH_BASE_WAKE_SOON_H_
