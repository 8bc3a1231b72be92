package io.statestore.cluster.transport;

/** A disk with room for everything. */
final class TestAdmission implements Admission {

	static final Admission ALL = new TestAdmission();

	@Override
	public boolean hasSpace() {
		return true;
	}

	@Override
	public Runnable admit(int bytes) {
		return () -> {
		};
	}

}
