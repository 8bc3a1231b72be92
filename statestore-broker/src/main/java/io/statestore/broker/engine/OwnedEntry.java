package io.statestore.broker.engine;

import org.jspecify.annotations.Nullable;

/**
 * A key that a principal may have created. A separate class, so that keys created by
 * anonymous clients usually need no memory for an owner.
 */
class OwnedEntry extends Entry {

	private final @Nullable KeyOwner owner;

	/** Creates an entry that keeps an array without copying it. */
	OwnedEntry(int hash, byte[] key, @Nullable KeyOwner owner) {
		super(hash, key);
		this.owner = owner;
	}

	@Override
	@Nullable KeyOwner owner() {
		return this.owner;
	}

}
