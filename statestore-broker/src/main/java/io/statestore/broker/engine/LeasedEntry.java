package io.statestore.broker.engine;

import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A key that may be a lock. It was set with an expiry while it was absent, or was
 * restored with an expiry from a snapshot. Its additional fields are for administration
 * only. These fields are not part of the state, so they are unknown after a restore.
 */
final class LeasedEntry extends OwnedEntry {

	private @Nullable Version token;

	private @Nullable Requester client;

	/** Whether the same value was stored again, which is how clients renew a lease. */
	private boolean renewed;

	/** Whether the last SET had no condition. */
	private boolean overwritten;

	/** Creates an entry that keeps an array without copying it. */
	LeasedEntry(int hash, byte[] key, @Nullable KeyOwner owner) {
		super(hash, key, owner);
	}

	/** Records the version of an acquisition, which is the fencing token of the lock. */
	void acquired(Version version, Requester client) {
		this.token = version;
		this.client = client;
		this.renewed = false;
	}

	/** Records that a client has stored the same value again. */
	void renewed(Requester client) {
		this.client = client;
		this.renewed = true;
		this.overwritten = false;
	}

	/** Records a SET without condition, after which the key is not a lease. */
	void overwritten() {
		this.token = null;
		this.client = null;
		this.renewed = false;
		this.overwritten = true;
	}

	/** Returns the version of the acquisition, or {@code null} if it is unknown. */
	@Nullable Version token() {
		return this.token;
	}

	/** Returns the client that last wrote the key, or {@code null} if unknown. */
	@Nullable Requester client() {
		return this.client;
	}

	/**
	 * Returns whether the key is a lock.
	 * @param all whether to include leases that were never renewed
	 */
	boolean isLock(boolean all) {
		return this.renewed || (all && !this.overwritten) || LockNames.isHolder(value());
	}

}
