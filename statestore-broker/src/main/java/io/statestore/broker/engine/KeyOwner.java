package io.statestore.broker.engine;

/**
 * A principal that has created keys, with their number. All keys of a principal share
 * this object.
 */
final class KeyOwner {

	private final String principal;

	private long keys;

	KeyOwner(String principal) {
		this.principal = principal;
	}

	String principal() {
		return this.principal;
	}

	/** Returns the number of keys that the principal has created and that exist. */
	long keys() {
		return this.keys;
	}

	void add(int keys) {
		this.keys += keys;
	}

}
