package io.statestore.broker.engine;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The simplest possible implementation of the protocol, with which the machine is
 * compared. It does not create versions: it states whether a reply has a new version and
 * learns this version from the machine.
 */
final class NaiveStore {

	private final Quota quota;

	private final TreeMap<Bytes, Item> items = new TreeMap<>();

	/** Changes since the list was last cleared. */
	final List<Change> changes = new ArrayList<>();

	long wallMillis;

	/** Latest wall time of versions and merged timestamps. */
	private long clockMillis;

	/** Whole milliseconds of log time. */
	long millis;

	/** Whether log time is past the start of the millisecond. */
	boolean pastMillis;

	NaiveStore(Quota quota) {
		this.quota = quota;
	}

	/**
	 * The expected reply and its version: {@code null}, a stored version, or a new
	 * version.
	 */
	static final class Expected {

		final Reply reply;

		final @Nullable Version stored;

		final boolean isNew;

		private @Nullable Item changed;

		Expected(Reply reply, @Nullable Version stored, boolean isNew) {
			this.reply = reply;
			this.stored = stored;
			this.isNew = isNew;
		}

		void setVersion(Version version) {
			if (this.changed != null) {
				this.changed.version = version;
			}
		}

	}

	/** Executes a request. A SCAN may find fewer keys, depending on pattern and token. */
	Expected apply(Command command, @Nullable String timestamp, @Nullable String fencingToken, Requester requester) {
		try {
			Version token = checkClocks(command, timestamp, fencingToken);
			return apply(command, token, requester);
		}
		catch (ProtocolException ex) {
			return new Expected(new Reply.Error(ex.reason()), null, false);
		}
	}

	private @Nullable Version checkClocks(Command command, @Nullable String timestamp, @Nullable String fencingToken) {
		if (command instanceof Command.Set || command instanceof Command.Increment) {
			if (timestamp == null) {
				throw new ProtocolException(ErrorReason.MISSING_TIMESTAMP);
			}
			check(Version.parse(timestamp), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
		if (!(command instanceof Command.Write) || fencingToken == null) {
			merge(timestamp);
			return null;
		}
		Version token = check(Version.parse(fencingToken), ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE);
		merge(timestamp);
		merge(token);
		return token;
	}

	private Version check(Version version, ErrorReason reason) {
		if (version.wallMillis() > this.clockMillis && version.wallMillis() > this.wallMillis + 60_000) {
			throw new ProtocolException(reason);
		}
		return version;
	}

	/** Follows the store's clock, which merges every acceptable timestamp. */
	private void merge(@Nullable String timestamp) {
		if (timestamp != null) {
			try {
				merge(check(Version.parse(timestamp), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE));
			}
			catch (ProtocolException ex) {
				// The store ignores the timestamp, or refuses the request
			}
		}
	}

	/** Merges a version from the machine. */
	void merge(Version version) {
		this.clockMillis = Math.max(this.clockMillis, version.wallMillis());
	}

	private Expected apply(Command command, @Nullable Version token, Requester requester) {
		if (command instanceof Command.Get get) {
			Item item = find(get.key());
			return (item == null) ? new Expected(TestStore.MISSING, null, false)
					: new Expected(new Reply.Value(item.value), item.version, false);
		}
		if (command instanceof Command.Ttl ttl) {
			Item item = find(ttl.key());
			return (item == null) ? new Expected(TestStore.MISSING, null, false)
					: new Expected(
							new Reply.Count((item.deadline < Long.MAX_VALUE)
									? item.deadline - this.millis - (this.pastMillis ? 1 : 0) : -1),
							item.version, false);
		}
		if (command instanceof Command.Scan) {
			return new Expected(new Reply.Page(liveKeys(), null), null, false);
		}
		Item item = find(((Command.Write) command).key());
		if (item != null && item.fence != null) {
			if (token == null) {
				throw new ProtocolException(ErrorReason.FENCING_TOKEN_REQUIRED);
			}
			if (token.compareTo(item.fence) < 0) {
				throw new ProtocolException(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
			}
		}
		if (command instanceof Command.Increment increment) {
			return increment(increment, item, token, requester);
		}
		return (command instanceof Command.Set set) ? set(set, item, token, requester)
				: delete(command, item, requester);
	}

	private Expected set(Command.Set set, @Nullable Item item, @Nullable Version token, Requester requester) {
		boolean replaces = set.condition() == Command.Condition.IF_VERSION;
		if (replaces && item == null) {
			return new Expected(TestStore.NOTHING, null, false);
		}
		if (replaces && item != null && !Bytes.of(String.valueOf(item.version)).equals(set.expected())) {
			return new Expected(TestStore.NOT_APPLIED, item.version, false);
		}
		boolean equal = item != null && item.value.equals((set.expected() != null) ? set.expected() : set.value());
		if (item != null && (set.condition() == Command.Condition.IF_ABSENT
				|| (set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL && !equal))) {
			return new Expected(TestStore.NOT_APPLIED, item.version, false);
		}
		if (!fits(set, token, requester)) {
			expire();
			if (!fits(set, token, requester)) {
				throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
			}
		}
		Item stored = new Item();
		stored.value = set.value();
		stored.fence = token;
		stored.creator = (item != null) ? item.creator : requester.principal();
		if (set.expiry() != null) {
			// A longer expiry means never
			long expiry = Math.min(set.expiry().toMillis(), Long.MAX_VALUE / 2);
			stored.deadline = this.millis + (this.pastMillis ? 1 : 0) + expiry;
		}
		else if (replaces && item != null) {
			stored.deadline = item.deadline;
		}
		this.items.put(set.key(), stored);
		this.changes.add(new Change(set.key(), set.value(), requester));
		Expected expected = new Expected(TestStore.OK, null, true);
		expected.changed = stored;
		return expected;
	}

	private Expected increment(Command.Increment increment, @Nullable Item item, @Nullable Version token,
			Requester requester) {
		BigInteger sum = BigInteger.valueOf(increment.delta());
		if (item != null) {
			String value = item.value.toUtf8();
			if (!value.matches("0|-?[1-9][0-9]*")) {
				throw new ProtocolException(ErrorReason.NOT_A_NUMBER);
			}
			sum = sum.add(new BigInteger(value));
		}
		if (sum.bitLength() >= Long.SIZE) {
			throw new ProtocolException(ErrorReason.NOT_A_NUMBER);
		}
		Expected set = set(new Command.Set(increment.key(), Bytes.of(sum.toString()), Command.Condition.ALWAYS,
				increment.expiry()), item, token, requester);
		if (item != null) {
			Objects.requireNonNull(set.changed).deadline = item.deadline;
		}
		Expected expected = new Expected(new Reply.Count(sum.longValue()), null, true);
		expected.changed = set.changed;
		return expected;
	}

	private boolean fits(Command.Set set, @Nullable Version token, Requester requester) {
		long before = bytes();
		Item old = this.items.get(set.key());
		long after = before + set.value().length() + nodeLength(token)
				+ ((old != null) ? -old.value.length() - nodeLength(old.fence) : set.key().length());
		return (old != null || (this.items.size() < this.quota.maxKeys() && fitsPrincipal(requester.principal())))
				&& (after <= before || after <= this.quota.maxBytes());
	}

	private boolean fitsPrincipal(@Nullable String principal) {
		return principal == null || keysOf(principal) < this.quota.maxKeysPerUser();
	}

	long keysOf(String principal) {
		return this.items.values().stream().filter((item) -> principal.equals(item.creator)).count();
	}

	long bytes() {
		return this.items.entrySet()
			.stream()
			.mapToLong((entry) -> entry.getKey().length() + entry.getValue().value.length()
					+ nodeLength(entry.getValue().fence))
			.sum();
	}

	private static int nodeLength(@Nullable Version fence) {
		return (fence != null) ? fence.nodeId().length() : 0;
	}

	private Expected delete(Command command, @Nullable Item item, Requester requester) {
		if (item == null) {
			return new Expected(TestStore.NOTHING, null, false);
		}
		if (command instanceof Command.VDel vdel && !vdel.value().equals(item.value)) {
			return new Expected(TestStore.NOT_APPLIED, item.version, false);
		}
		remove(((Command.Write) command).key(), requester);
		return new Expected(TestStore.ONE, null, true);
	}

	private @Nullable Item find(Bytes key) {
		Item item = this.items.get(key);
		if (item != null && item.deadline <= this.millis) {
			remove(key, null);
			return null;
		}
		return item;
	}

	private List<Bytes> liveKeys() {
		return this.items.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().deadline > this.millis)
			.map(Map.Entry::getKey)
			.toList();
	}

	void expire() {
		for (Bytes key : List.copyOf(this.items.keySet())) {
			find(key);
		}
	}

	private void remove(Bytes key, @Nullable Requester author) {
		this.items.remove(key);
		this.changes.add(new Change(key, null, author));
	}

	int size() {
		return this.items.size();
	}

	private static final class Item {

		private Bytes value = Bytes.EMPTY;

		private @Nullable Version version;

		private @Nullable Version fence;

		private @Nullable String creator;

		private long deadline = Long.MAX_VALUE;

	}

	record Change(Bytes key, @Nullable Bytes value, @Nullable Requester author) {
	}

}
