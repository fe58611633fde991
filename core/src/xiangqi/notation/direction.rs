//! Which way a piece moves, as its player sees it.

/// Where a piece goes, as its player sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    /// 进 `+`
    Forward,
    /// 退 `-`
    Back,
    /// 平 `=`
    Sideways,
}
