// Package peer is for the measuring tests of lscrf's packages: the shared real data, the Python
// programs that stand beside ours, and processor time. Only tests import it. They run when
// HDSEG_REAL=1 is set.
//
//	HDSEG_DATA    the folder of the shared data; ../shared/data beside the repository unless set
//	HDSEG_PYTHON  a Python with the peers; without it only our side is printed, and the test says so
//
// The peers' script is peers/peers.py beside the data's folder.
package peer
