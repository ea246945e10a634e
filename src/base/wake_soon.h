#ifndef FIRTH_BASE_WAKE_SOON_H_
#define FIRTH_BASE_WAKE_SOON_H_

namespace firth {

// Asks the system to let the calling thread work soon after it wakes, where
// others keep all cores busy: for a thread that works now and then, and for
// whom others wait. A wish, which Linux knows of since 6.12; it takes no
// privilege, and gives the thread no greater share of a core.
void WakeSoon();

}  // namespace firth

#endif  // FIRTH_BASE_WAKE_SOON_H_
