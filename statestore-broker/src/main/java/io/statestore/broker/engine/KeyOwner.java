package io.statestore.broker.engine;

/**
 * A principal that has created keys, with the number of these keys. All keys of a
 * principal share this object.
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

	/** Returns the number of existing keys that the principal has created. */
	long keys() {
		return this.keys;
	}

	void add(int keys) {
		this.keys += keys;
	}

}
