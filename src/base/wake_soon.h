#ifndef FIRTH_BASE_WAKE_SOON_H_
#define FIRTH_BASE_WAKE_SOON_H_

namespace firth {

// Asks the system to run the calling thread soon after it wakes while other
// threads keep all cores busy. This is for a thread that works occasionally
// while others wait for it. Linux honors the request since 6.12 and ignores it
// before. It requires no privilege, and gives the thread no larger share of a
// core.
void WakeSoon();

}  // namespace firth

#endif  // FIRTH_BASE_WAKE_SOON_H_
