package io.statestore.broker.engine;

import java.util.List;
import java.util.Objects;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Executes commands that change keys, and removes keys at expiry and startup (protocol
 * sections 2 and 5). Each change gets a version and is passed to the listener.
 */
final class KeyWriter {

	private final KeySpace keys;

	private final VersionClock clock;

	private final ChangeListener listener;

	private boolean overPrincipalLimit;

	KeyWriter(KeySpace keys, VersionClock clock, ChangeListener listener) {
		this.keys = keys;
		this.clock = clock;
		this.listener = listener;
	}

	/**
	 * Executes a write.
	 * @throws ProtocolException if the request is refused
	 */
	Answer execute(LogEntry.Write write) {
		this.overPrincipalLimit = false;
		Version token = this.clock.receive(write);
		if (write.command() instanceof Command.Set set) {
			return set(set, token, write);
		}
		if (write.command() instanceof Command.Increment increment) {
			return increment(increment, token, write);
		}
		if (write.command() instanceof Command.VDel vdel) {
			return delete(vdel.key(), vdel.value(), token, write);
		}
		return delete(write.command().key(), null, token, write);
	}

	/**
	 * Removes the listed keys whose deadline has passed and returns how many it removed.
	 */
	int expire(List<Bytes> keys) {
		int expired = 0;
		for (Bytes key : keys) {
			Entry entry = this.keys.table().find(this.keys.table().hash(key), key);
			if (entry != null && this.keys.isExpired(entry)) {
				remove(entry, null);
				expired++;
			}
		}
		return expired;
	}

	/** Removes the keys whose last SET was not persistent. */
	void removeVolatile() {
		this.keys.volatileEntries().forEach((entry) -> remove(entry, null));
	}

	private Answer set(Command.Set set, @Nullable Version token, LogEntry.Write write) {
		int hash = this.keys.table().hash(set.key());
		Entry entry = find(hash, set.key());
		if (entry != null) {
			checkFence(entry, token);
			if (!allows(set, entry)) {
				return Answer.notApplied(entry.version());
			}
		}
		else if (set.condition() == Command.Condition.IF_VERSION) {
			return Answer.NOTHING;
		}
		requireRoom(entry, set, token, write.requester().principal());
		// Renewing a lease keeps the value.
		boolean renewed = set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL && set.expected() == null
				&& entry != null;
		long deadline = (entry != null && set.condition() == Command.Condition.IF_VERSION && set.expiry() == null)
				? entry.deadline() : this.keys.deadlineAfter(set.expiry());
		byte @Nullable [] value = renewed ? null : set.value().toArray();
		Version version = this.clock.tick();
		if (entry != null) {
			boolean persistent = write.persistent()
					|| (write.command() instanceof Command.Increment && entry.isPersistent());
			this.keys.change(entry, value, version, token, persistent, deadline);
			if (entry instanceof LeasedEntry leased) {
				written(leased, renewed, write);
			}
		}
		else {
			Entry added = added(hash, set, version, write.requester());
			added.change(value, version, token, write.persistent());
			this.keys.add(added, deadline);
		}
		this.listener.changed(set.key(), set.value(), version, write.requester());
		return Answer.stored(version);
	}

	/** Sets a key to the sum if it still has its version, which is always so. */
	private Answer increment(Command.Increment increment, @Nullable Version token, LogEntry.Write write) {
		Bytes key = increment.key();
		Entry entry = find(this.keys.table().hash(key), key);
		if (entry != null) {
			checkFence(entry, token);
		}
		long sum = increment.sum((entry != null) ? entry.value() : null);
		Bytes value = Bytes.of(Long.toString(sum));
		Answer stored = set((entry != null)
				? new Command.Set(key, value, Command.Condition.IF_VERSION, null, Bytes.of(entry.version().toString()))
				: new Command.Set(key, value, Command.Condition.ALWAYS, increment.expiry()), token, write);
		return new Answer(new Reply.Count(sum), stored.version());
	}

	/** Creates an entry for an absent key. */
	private Entry added(int hash, Command.Set set, Version version, Requester requester) {
		KeyOwner owner = this.keys.owners().of(requester.principal());
		byte[] key = set.key().toArray();
		if (set.expiry() == null || set.condition() == Command.Condition.ALWAYS) {
			return (owner != null) ? new OwnedEntry(hash, key, owner) : new Entry(hash, key);
		}
		LeasedEntry leased = new LeasedEntry(hash, key, owner);
		leased.acquired(version, requester);
		return leased;
	}

	private static void written(LeasedEntry entry, boolean renewed, LogEntry.Write write) {
		if (renewed) {
			entry.renewed(write.requester());
		}
		else {
			entry.overwritten();
		}
	}

	private Answer delete(Bytes key, @Nullable Bytes expected, @Nullable Version token, LogEntry.Write write) {
		Entry entry = find(this.keys.table().hash(key), key);
		if (entry == null) {
			return Answer.NOTHING;
		}
		checkFence(entry, token);
		if (expected != null && !entry.value().equals(expected)) {
			return Answer.notApplied(entry.version());
		}
		return Answer.deleted(remove(entry, write.requester()));
	}

	/**
	 * Returns the entry of a key, {@code null} if it is absent. Removes an expired entry
	 * first.
	 */
	private @Nullable Entry find(int hash, Bytes key) {
		Entry entry = this.keys.table().find(hash, key);
		if (entry != null && this.keys.isExpired(entry)) {
			remove(entry, null);
			return null;
		}
		return entry;
	}

	private Version remove(Entry entry, @Nullable Requester author) {
		Version version = this.clock.tick();
		this.keys.remove(entry);
		this.listener.changed(entry.key(), null, version, author);
		return version;
	}

	private static void checkFence(Entry entry, @Nullable Version token) {
		Version fence = entry.fence();
		if (fence == null) {
			return;
		}
		if (token == null) {
			throw new ProtocolException(ErrorReason.FENCING_TOKEN_REQUIRED);
		}
		if (token.compareTo(fence) < 0) {
			throw new ProtocolException(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
		}
	}

	private static boolean allows(Command.Set set, Entry entry) {
		return switch (set.condition()) {
			case ALWAYS -> true;
			case IF_ABSENT -> false;
			case IF_ABSENT_OR_EQUAL -> entry.value().equals((set.expected() != null) ? set.expected() : set.value());
			case IF_VERSION -> entry.version().equals(Version.parse(Objects.requireNonNull(set.expected()).toUtf8()));
		};
	}

	private void requireRoom(@Nullable Entry entry, Command.Set set, @Nullable Version token,
			@Nullable String principal) {
		String creator = (entry == null) ? principal : null;
		if (this.keys.hasRoom(entry, set.key(), set.value(), token) && this.keys.hasRoom(creator)) {
			return;
		}
		// Expired keys do not count toward the quota.
		this.keys.expired().forEach((expired) -> remove(expired, null));
		if (!this.keys.hasRoom(entry, set.key(), set.value(), token)) {
			throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
		}
		if (!this.keys.hasRoom(creator)) {
			this.overPrincipalLimit = true;
			throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
		}
	}

	/**
	 * Returns whether the last write was refused because its principal has too many keys.
	 */
	boolean isOverPrincipalLimit() {
		return this.overPrincipalLimit;
	}

}
