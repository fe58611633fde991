//! Numbers of the xiangqi evaluation, middlegame and endgame, in centipawns; fitted to the results of games.
//!
//! Origin: games from the start of two collections, XQF of all kinds and PGN of a server, each game once: 23113 games, 226074 quiet positions, 250 passes; cross-entropy of 11899 others 0.6217 before, 0.6148 after.

use super::terms::COUNT;
use crate::evaluate::{Pair, pair};

#[rustfmt::skip]
pub(super) static NUMBERS: [Pair; COUNT] = [
    // pawn on a point, its material included
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(37, 48), pair(43, 54), pair(47, 56), pair(51, 60), pair(52, 62),
    pair(11, 95), pair(43, 54), pair(17, 97), pair(51, 60), pair(72, 120),
    pair(24, 87), pair(47, 60), pair(42, 108), pair(56, 66), pair(82, 122),
    pair(51, 90), pair(47, 126), pair(45, 154), pair(121, 135), pair(127, 127),
    pair(77, 100), pair(85, 124), pair(102, 142), pair(134, 157), pair(135, 171),
    pair(97, 114), pair(126, 113), pair(166, 110), pair(171, 189), pair(159, 196),
    pair(87, 98), pair(131, 94), pair(213, 64), pair(219, 99), pair(157, 174),
    pair(25, 59), pair(31, 59), pair(47, 42), pair(90, 48), pair(50, 27),
    // advisor on a point
    pair(114, 120), pair(114, 120), pair(114, 120), pair(95, 85), pair(114, 120),
    pair(118, 122), pair(118, 122), pair(118, 122), pair(118, 122), pair(128, 99),
    pair(112, 120), pair(112, 120), pair(112, 120), pair(112, 82), pair(112, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120), pair(114, 120),
    // elephant on a point
    pair(107, 122), pair(114, 126), pair(121, 109), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(91, 101), pair(115, 127), pair(115, 127), pair(115, 127), pair(144, 115),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(104, 122), pair(112, 126), pair(102, 96), pair(112, 126), pair(118, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    pair(107, 122), pair(114, 126), pair(114, 126), pair(114, 126), pair(120, 130),
    // cannon on a point
    pair(264, 238), pair(278, 229), pair(269, 230), pair(321, 265), pair(328, 237),
    pair(307, 239), pair(309, 252), pair(328, 223), pair(304, 258), pair(337, 261),
    pair(277, 244), pair(280, 257), pair(303, 247), pair(298, 242), pair(303, 288),
    pair(265, 257), pair(273, 247), pair(291, 257), pair(257, 250), pair(305, 267),
    pair(321, 237), pair(288, 241), pair(283, 252), pair(251, 248), pair(308, 255),
    pair(280, 244), pair(254, 265), pair(240, 266), pair(246, 260), pair(307, 245),
    pair(295, 239), pair(250, 274), pair(243, 259), pair(247, 249), pair(285, 263),
    pair(273, 268), pair(241, 251), pair(229, 244), pair(214, 243), pair(267, 267),
    pair(291, 240), pair(238, 257), pair(227, 269), pair(220, 247), pair(279, 244),
    pair(340, 238), pair(290, 272), pair(254, 251), pair(246, 208), pair(267, 234),
    // horse on a point
    pair(215, 245), pair(184, 237), pair(192, 220), pair(162, 282), pair(217, 252),
    pair(173, 235), pair(225, 262), pair(177, 264), pair(221, 253), pair(220, 191),
    pair(210, 241), pair(209, 291), pair(224, 263), pair(266, 294), pair(224, 272),
    pair(223, 293), pair(228, 289), pair(250, 286), pair(253, 289), pair(282, 306),
    pair(274, 267), pair(251, 271), pair(326, 294), pair(279, 297), pair(282, 296),
    pair(210, 279), pair(270, 267), pair(267, 288), pair(281, 299), pair(309, 301),
    pair(193, 285), pair(339, 297), pair(244, 287), pair(339, 292), pair(226, 301),
    pair(272, 289), pair(281, 274), pair(230, 292), pair(318, 293), pair(311, 302),
    pair(251, 284), pair(239, 298), pair(338, 276), pair(294, 279), pair(262, 261),
    pair(245, 274), pair(215, 262), pair(265, 310), pair(257, 283), pair(251, 283),
    // rook on a point
    pair(503, 527), pair(546, 541), pair(537, 544), pair(540, 541), pair(530, 555),
    pair(519, 514), pair(544, 531), pair(559, 539), pair(543, 547), pair(531, 557),
    pair(533, 532), pair(554, 549), pair(560, 573), pair(555, 576), pair(540, 569),
    pair(528, 572), pair(578, 583), pair(583, 573), pair(581, 578), pair(576, 602),
    pair(550, 554), pair(568, 590), pair(584, 571), pair(572, 563), pair(562, 568),
    pair(526, 557), pair(545, 564), pair(574, 576), pair(548, 570), pair(571, 563),
    pair(540, 580), pair(558, 563), pair(594, 542), pair(591, 543), pair(591, 549),
    pair(530, 562), pair(531, 567), pair(520, 583), pair(568, 592), pair(583, 602),
    pair(517, 546), pair(547, 592), pair(559, 572), pair(573, 566), pair(589, 620),
    pair(540, 561), pair(587, 544), pair(539, 584), pair(588, 557), pair(585, 613),
    // general on a point
    pair(0, 0), pair(0, 0), pair(0, 0), pair(34, 12), pair(86, -4),
    pair(-10, 0), pair(-10, 0), pair(-10, 0), pair(-58, 26), pair(49, 4),
    pair(-18, -2), pair(-18, -2), pair(-18, -2), pair(-123, 17), pair(-43, -29),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    pair(0, 0), pair(0, 0), pair(0, 0), pair(-1, 0), pair(4, 6),
    // cannon, by points it may go to
    pair(-26, -14), pair(-4, 2), pair(-13, -22), pair(-8, -12), pair(1, -7), pair(2, -7), pair(3, 1), pair(5, 0), pair(1, -0),
    pair(2, 5), pair(8, 9), pair(6, 9), pair(8, 13), pair(19, 5), pair(20, 2), pair(23, 15), pair(34, 2), pair(39, 2),
    // horse, by points it may go to that no pawn attacks
    pair(-17, -50), pair(-17, -25), pair(-7, -12), pair(-0, 2), pair(10, 9), pair(11, 21), pair(25, 2), pair(36, 7), pair(49, -8),
    // rook, by points it may go to
    pair(-23, -17), pair(-14, -25), pair(-8, -65), pair(0, -28), pair(6, -36), pair(13, -13), pair(26, -2), pair(22, 21), pair(24, 16),
    pair(32, 32), pair(30, 24), pair(33, 27), pair(42, 23), pair(43, 28), pair(44, 25), pair(55, 21), pair(55, 24), pair(48, 20),
    // missing advisors (0-2) by enemy rooks (0-2)
    pair(106, -29), pair(-54, -17), pair(-87, 2),
    pair(70, 22), pair(-21, -1), pair(-70, -34),
    pair(32, 53), pair(-23, 2), pair(-36, -16),
    // missing advisors by enemy cannons
    pair(65, 21), pair(-15, -29), pair(-54, -44),
    pair(14, 1), pair(-6, -25), pair(-15, 17),
    pair(-45, -18), pair(15, 26), pair(21, 50),
    // missing advisors by enemy horses
    pair(-1, -15), pair(9, -23), pair(-10, -22),
    pair(11, 1), pair(-1, -24), pair(-23, 15),
    pair(39, 13), pair(-38, -0), pair(-25, 57),
    // missing elephants by enemy cannons
    pair(-4, -18), pair(7, -22), pair(-7, 1),
    pair(43, -5), pair(-18, 4), pair(-19, -1),
    pair(-0, 30), pair(4, -4), pair(-31, 25),
    // missing elephants by enemy rooks
    pair(80, -33), pair(-42, -11), pair(-51, 6),
    pair(76, 24), pair(-19, -17), pair(-61, -13),
    pair(64, 57), pair(-26, 7), pair(-78, -41),
    // missing elephants by enemy horses
    pair(32, -40), pair(-9, -17), pair(-29, 27),
    pair(2, 8), pair(-6, -23), pair(4, 15),
    pair(10, 39), pair(-13, -0), pair(-28, 7),
    // cannon before the bare general on his file, by points between
    pair(16, -6), pair(21, -13), pair(36, 8), pair(55, 1), pair(75, 18), pair(87, 2), pair(85, 19), pair(56, 11), pair(53, 17), pair(48, 24),
    // cannon before the general on his file with two pieces between, by who owns them: 0-2 of the general's side
    pair(13, 22), pair(5, 57), pair(31, 42),
    // palace and the general's neighbourhood attacked, by weight of the attack
    pair(0, 0), pair(0, 0), pair(1, 0), pair(3, 1), pair(1, -34), pair(41, -32), pair(5, -22), pair(11, -5),
    pair(4, -7), pair(10, 3), pair(14, 20), pair(14, 26), pair(30, 34), pair(26, 53), pair(36, 61), pair(59, 62),
    pair(81, 63), pair(106, 45), pair(91, 47), pair(124, 43), pair(137, 52), pair(131, 48), pair(125, 47), pair(116, 51),
    // pawn attacks a pawn, advisor, elephant, cannon, horse, rook
    pair(3, 18), pair(80, -24), pair(21, -9), pair(29, 34), pair(53, 34), pair(33, 23), pair(0, 0),
    // advisor, elephant, cannon or horse attacks the same
    pair(-1, 12), pair(6, -13), pair(24, -6), pair(40, 29), pair(39, 30), pair(33, 0), pair(0, 0),
    // rook attacks the same
    pair(-18, 37), pair(-4, -12), pair(-8, -7), pair(12, 26), pair(4, 33), pair(15, 10), pair(0, 0),
    // pawn, advisor, elephant, cannon, horse, rook attacked and not guarded
    pair(7, 21), pair(-2, 3), pair(26, 8), pair(26, -9), pair(16, 36), pair(3, 1), pair(0, 0),
    // horse whose way ahead is blocked; two pawns over the river side by side
    pair(-12, -5), pair(-23, -4),
    // cannons against horses: one side has only the one kind, by own rooks (0-2)
    pair(6, 10), pair(-30, 17), pair(10, -25),
    // pieces past the river, by their number
    pair(-78, 14), pair(-48, -45), pair(-14, -43), pair(25, -13), pair(61, 50), pair(72, 52), pair(3, 9), pair(-1, -0), pair(0, 0), pair(0, 0),
    // the right to move
    pair(20, 3),
];
