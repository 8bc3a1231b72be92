package io.statestore.broker.engine;

import io.statestore.protocol.Bytes;

/**
 * A key created by a principal. A class of its own, so that keys of anonymous clients
 * need no memory for an owner.
 */
final class OwnedEntry extends Entry {

	private final KeyOwner owner;

	OwnedEntry(int hash, Bytes key, KeyOwner owner) {
		super(hash, key);
		this.owner = owner;
	}

	/** Creates an entry that keeps an array without copying it. */
	OwnedEntry(int hash, byte[] key, KeyOwner owner) {
		super(hash, key);
		this.owner = owner;
	}

	@Override
	KeyOwner owner() {
		return this.owner;
	}

}
