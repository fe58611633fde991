//! Numbers of the xiangqi evaluation, middlegame and endgame, in centipawns; written by `examples/tune.rs`.
//!
//! Origin: games from the start of two collections, XQF of all kinds and PGN of a server: 24768 games, 238608 quiet positions, 300 passes; cross-entropy of 12559 others 0.6350 before, 0.6193 after.

use super::tapered::{Pair, pair};
use super::xiangqi_terms::COUNT;

#[rustfmt::skip]
pub(super) static NUMBERS: [Pair; COUNT] = [
    // pawn on a point, its material included
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(32, 67), pair(43, 54), pair(32, 60), pair(51, 60), pair(68, 85),
    pair(39, 60), pair(47, 60), pair(57, 79), pair(56, 66), pair(75, 86),
    pair(79, 97), pair(88, 111), pair(86, 114), pair(111, 126), pair(112, 125),
    pair(95, 113), pair(102, 125), pair(115, 134), pair(122, 148), pair(121, 145),
    pair(106, 125), pair(113, 133), pair(121, 133), pair(125, 146), pair(123, 145),
    pair(103, 119), pair(109, 122), pair(116, 114), pair(124, 131), pair(119, 137),
    pair(42, 60), pair(48, 65), pair(52, 66), pair(58, 70), pair(58, 72),
    // advisor on a point
    pair(114, 120), pair(114, 120), pair(114, 120), pair(99, 98), pair(114, 120),
    pair(118, 122), pair(118, 122), pair(118, 122), pair(118, 122), pair(117, 115),
    pair(112, 120), pair(112, 120), pair(112, 120), pair(103, 103), pair(112, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    // elephant on a point
    pair(107, 122), pair(114, 126), pair(120, 112), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(97, 104), pair(115, 127), pair(115, 127), pair(115, 127), pair(132, 125),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(104, 122), pair(112, 126), pair(99, 104), pair(112, 126), pair(118, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    // cannon on a point
    pair(271, 249), pair(271, 248), pair(266, 245), pair(281, 258), pair(282, 256),
    pair(276, 250), pair(278, 253), pair(291, 249), pair(274, 254), pair(288, 259),
    pair(271, 248), pair(278, 251), pair(288, 253), pair(278, 247), pair(293, 267),
    pair(271, 248), pair(270, 249), pair(277, 251), pair(271, 251), pair(283, 257),
    pair(278, 250), pair(277, 249), pair(274, 248), pair(272, 248), pair(290, 259),
    pair(275, 250), pair(273, 249), pair(273, 249), pair(275, 250), pair(293, 256),
    pair(279, 252), pair(270, 253), pair(267, 249), pair(268, 248), pair(285, 260),
    pair(272, 249), pair(272, 250), pair(268, 247), pair(269, 248), pair(279, 254),
    pair(274, 250), pair(270, 250), pair(271, 249), pair(269, 248), pair(280, 253),
    pair(288, 255), pair(280, 254), pair(272, 246), pair(275, 247), pair(284, 253),
    // horse on a point
    pair(227, 258), pair(217, 257), pair(233, 262), pair(226, 265), pair(235, 270),
    pair(218, 256), pair(241, 268), pair(232, 267), pair(236, 267), pair(234, 268),
    pair(225, 257), pair(241, 272), pair(234, 264), pair(256, 280), pair(243, 274),
    pair(240, 270), pair(246, 276), pair(252, 277), pair(252, 281), pair(260, 290),
    pair(246, 273), pair(250, 277), pair(275, 295), pair(274, 293), pair(258, 289),
    pair(246, 275), pair(259, 282), pair(262, 284), pair(279, 294), pair(268, 295),
    pair(238, 274), pair(276, 297), pair(265, 284), pair(282, 294), pair(259, 291),
    pair(249, 277), pair(259, 284), pair(256, 281), pair(265, 291), pair(261, 289),
    pair(241, 271), pair(251, 281), pair(268, 288), pair(257, 284), pair(251, 282),
    pair(234, 265), pair(241, 270), pair(247, 274), pair(247, 276), pair(242, 275),
    // rook on a point
    pair(510, 547), pair(541, 553), pair(530, 553), pair(536, 557), pair(534, 559),
    pair(527, 553), pair(537, 555), pair(543, 557), pair(536, 558), pair(542, 562),
    pair(533, 553), pair(538, 555), pair(543, 558), pair(544, 559), pair(543, 562),
    pair(537, 558), pair(559, 568), pair(554, 566), pair(553, 568), pair(552, 571),
    pair(540, 559), pair(560, 567), pair(556, 566), pair(549, 565), pair(550, 567),
    pair(541, 561), pair(551, 566), pair(555, 567), pair(549, 567), pair(555, 570),
    pair(549, 568), pair(556, 570), pair(565, 570), pair(560, 570), pair(558, 570),
    pair(545, 562), pair(548, 564), pair(549, 564), pair(557, 570), pair(555, 571),
    pair(544, 561), pair(554, 568), pair(552, 565), pair(562, 570), pair(554, 570),
    pair(540, 559), pair(552, 563), pair(549, 565), pair(552, 566), pair(549, 568),
    // general on a point
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-7, 6), pair(28, 6),
    pair(-10, 0), pair(-10, 0), pair(-10, 0), pair(-22, -1), pair(-3, 8),
    pair(-18, -2), pair(-18, -2), pair(-18, -2), pair(-27, -3), pair(-17, -1),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    // cannon, by points it may go to
    pair(-6, -4), pair(-4, -3), pair(-8, -5), pair(-5, -2), pair(-4, -1), pair(-2, -2), pair(4, -1), pair(5, 2), pair(1, 1),
    pair(2, 4), pair(6, 6), pair(9, 9), pair(8, 7), pair(9, 9), pair(11, 8), pair(11, 8), pair(12, 7), pair(13, 10),
    // horse, by points it may go to that no pawn attacks
    pair(-25, -19), pair(-27, -19), pair(-17, -18), pair(-11, -9), pair(2, 7), pair(10, 15), pair(22, 8), pair(24, 18), pair(22, 11),
    // rook, by points it may go to
    pair(-22, -16), pair(-20, -14), pair(-25, -16), pair(-19, -13), pair(-16, -14), pair(-14, -10), pair(-5, -5), pair(-2, -1), pair(-1, 2),
    pair(2, 6), pair(8, 7), pair(8, 7), pair(15, 11), pair(17, 12), pair(17, 11), pair(20, 15), pair(19, 17), pair(23, 15),
    // missing advisors (0-2) by enemy rooks (0-2)
    pair(5, -8), pair(-12, -14), pair(-8, -4),
    pair(6, 10), pair(-4, -2), pair(-11, -2),
    pair(7, 23), pair(-7, -2), pair(-19, -0),
    // missing advisors by enemy cannons
    pair(15, 19), pair(-9, -26), pair(-21, -19),
    pair(1, 6), pair(-3, -7), pair(1, 7),
    pair(-5, -5), pair(4, 17), pair(-4, 9),
    // missing advisors by enemy horses
    pair(-8, -15), pair(-7, -14), pair(0, 2),
    pair(4, 6), pair(-5, -5), pair(-4, 5),
    pair(9, 17), pair(-9, -1), pair(-12, 5),
    // missing elephants by enemy cannons
    pair(3, -7), pair(3, -20), pair(-11, -7),
    pair(6, 7), pair(-6, -0), pair(-4, -1),
    pair(2, 20), pair(-5, 4), pair(-10, 4),
    // missing elephants by enemy rooks
    pair(4, -20), pair(-7, -13), pair(-2, -0),
    pair(6, 14), pair(-7, -7), pair(-12, -2),
    pair(8, 31), pair(-10, 2), pair(-24, -4),
    // missing elephants by enemy horses
    pair(1, -22), pair(-2, -16), pair(-4, 4),
    pair(-1, 6), pair(-9, -8), pair(2, 7),
    pair(5, 23), pair(-9, 5), pair(-14, 1),
    // cannon before the bare general on his file, by points between
    pair(47, 23), pair(46, 21), pair(46, 21), pair(48, 23), pair(49, 25), pair(50, 24), pair(49, 25), pair(48, 23), pair(48, 24), pair(48, 24),
    // cannon before the general on his file with two pieces between, by who owns them: 0-2 of the general's side
    pair(1, 0), pair(7, 9), pair(19, 16),
    // palace and the general's neighbourhood attacked, by weight of the attack
    pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 1), pair(5, 0), pair(11, -1), pair(11, -3), pair(19, 4),
    pair(18, 3), pair(17, 9), pair(30, 16), pair(37, 17), pair(48, 22), pair(53, 23), pair(64, 26), pair(72, 26),
    pair(79, 28), pair(89, 31), pair(99, 33), pair(109, 36), pair(120, 40), pair(120, 44), pair(120, 48), pair(120, 53),
    // pawn attacks a pawn, advisor, elephant, cannon, horse, rook
    pair(11, 11), pair(17, 11), pair(13, 12), pair(13, 12), pair(13, 12), pair(11, 10), pair(0, 0),
    // advisor, elephant, cannon or horse attacks the same
    pair(6, 7), pair(17, 7), pair(19, 7), pair(23, 14), pair(28, 20), pair(11, 7), pair(0, 0),
    // rook attacks the same
    pair(-4, 16), pair(-0, 4), pair(3, 6), pair(17, 15), pair(9, 17), pair(8, 8), pair(0, 0),
    // pawn, advisor, elephant, cannon, horse, rook attacked and not guarded
    pair(6, 18), pair(10, 8), pair(13, 12), pair(16, 11), pair(14, 17), pair(11, 8), pair(0, 0),
    // horse whose way ahead is blocked; two pawns over the river side by side
    pair(-5, -2), pair(6, 8),
    // cannons against horses: one side has only the one kind, by own rooks (0-2)
    pair(3, 9), pair(-2, 2), pair(6, 2),
    // pieces past the river, by their number
    pair(-20, -5), pair(-26, -32), pair(-4, -18), pair(18, 19), pair(25, 29), pair(7, 6), pair(0, 0), pair(-0, 0), pair(0, 0), pair(0, 0),
    // the right to move
    pair(11, 5),
];
