package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Plainest possible implementation of the protocol, to compare the engine with. It
 * creates no versions: it states whether a reply has a new version, and learns the
 * version of the engine.
 */
final class NaiveStore {

	private final Quota quota;

	private final TreeMap<Bytes, Item> items = new TreeMap<>();

	private final Set<List<Object>> observations = new HashSet<>();

	/** Changes since the list was last cleared: key, change, and observers. */
	final List<List<Object>> changes = new ArrayList<>();

	long wallMillis;

	/** Latest wall time of versions and merged timestamps. */
	private long clockMillis;

	/** Whole milliseconds since the engine was created. */
	long millis;

	/** Whether the clock is past the start of the millisecond. */
	boolean pastMillis;

	NaiveStore(Quota quota) {
		this.quota = quota;
	}

	/** Expected reply, and its version: {@code null}, a stored one, or a new one. */
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
	Expected apply(Request<Object> request) {
		try {
			Version token = checkClocks(request);
			return apply(request.command(), token, request.observer());
		}
		catch (ProtocolException ex) {
			return new Expected(new Reply.Error(ex.reason()), null, false);
		}
	}

	private @Nullable Version checkClocks(Request<Object> request) {
		if (request.command() instanceof Command.Set) {
			if (request.timestamp() == null) {
				throw new ProtocolException(ErrorReason.MISSING_TIMESTAMP);
			}
			check(Version.parse(request.timestamp()), ErrorReason.TIMESTAMP_TOO_FAR_IN_FUTURE);
		}
		if (!(request.command() instanceof Command.Write) || request.fencingToken() == null) {
			merge(request.timestamp());
			return null;
		}
		Version token = check(Version.parse(request.fencingToken()), ErrorReason.FENCING_TOKEN_TOO_FAR_IN_FUTURE);
		merge(request.timestamp());
		merge(token);
		return token;
	}

	private Version check(Version version, ErrorReason reason) {
		if (version.wallMillis() > this.clockMillis && version.wallMillis() > this.wallMillis + 60_000) {
			throw new ProtocolException(reason);
		}
		return version;
	}

	/** Follows the clock of the store, which merges every acceptable timestamp. */
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

	/** Merges a version of the engine. */
	void merge(Version version) {
		this.clockMillis = Math.max(this.clockMillis, version.wallMillis());
	}

	private Expected apply(Command command, @Nullable Version token, Object observer) {
		if (command instanceof Command.Get get) {
			Item item = find(get.key());
			return (item == null) ? new Expected(TestStore.MISSING, null, false)
					: new Expected(new Reply.Value(item.value), item.version, false);
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			this.observations.add(List.of(observer, keyNotify.key()));
			return new Expected(TestStore.OK, null, false);
		}
		if (command instanceof Command.KeyNotifyStop stop) {
			boolean removed = this.observations.remove(List.of(observer, stop.key()));
			return new Expected(removed ? TestStore.OK : TestStore.NOTHING, null, false);
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
		return (command instanceof Command.Set set) ? set(set, item, token) : delete(command, item);
	}

	private Expected set(Command.Set set, @Nullable Item item, @Nullable Version token) {
		boolean equal = item != null && item.value.equals(set.value());
		if (item != null && (set.condition() == Command.Condition.IF_ABSENT
				|| (set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL && !equal))) {
			return new Expected(TestStore.NOT_APPLIED, item.version, false);
		}
		if (!fits(set, token)) {
			expire();
			if (!fits(set, token)) {
				throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
			}
		}
		Item stored = new Item();
		stored.value = set.value();
		stored.fence = token;
		if (set.expiry() != null) {
			// A longer expiry means never
			long expiry = Math.min(set.expiry().toMillis(), Long.MAX_VALUE / 2);
			stored.deadline = this.millis + (this.pastMillis ? 1 : 0) + expiry;
		}
		this.items.put(set.key(), stored);
		change(set.key(), new Notification.Set(set.value()));
		Expected expected = new Expected(TestStore.OK, null, true);
		expected.changed = stored;
		return expected;
	}

	private boolean fits(Command.Set set, @Nullable Version token) {
		long before = bytes();
		Item old = this.items.get(set.key());
		long after = before + set.value().length() + nodeLength(token)
				+ ((old != null) ? -old.value.length() - nodeLength(old.fence) : set.key().length());
		return (old != null || this.items.size() < this.quota.maxKeys())
				&& (after <= before || after <= this.quota.maxBytes());
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

	private Expected delete(Command command, @Nullable Item item) {
		if (item == null) {
			return new Expected(TestStore.NOTHING, null, false);
		}
		if (command instanceof Command.VDel vdel && !vdel.value().equals(item.value)) {
			return new Expected(TestStore.NOT_APPLIED, item.version, false);
		}
		remove(((Command.Write) command).key());
		return new Expected(TestStore.ONE, null, true);
	}

	private @Nullable Item find(Bytes key) {
		Item item = this.items.get(key);
		if (item != null && item.deadline <= this.millis) {
			remove(key);
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

	void disconnected(Object observer) {
		this.observations.removeIf((observation) -> observation.get(0).equals(observer));
	}

	private void remove(Bytes key) {
		this.items.remove(key);
		change(key, new Notification.Delete());
	}

	private void change(Bytes key, Notification change) {
		Set<Object> observers = new HashSet<>();
		for (List<Object> observation : this.observations) {
			if (observation.get(1).equals(key)) {
				observers.add(observation.get(0));
			}
		}
		if (!observers.isEmpty()) {
			this.changes.add(List.of(key, change, observers));
		}
	}

	int size() {
		return this.items.size();
	}

	private static final class Item {

		private Bytes value = Bytes.EMPTY;

		private @Nullable Version version;

		private @Nullable Version fence;

		private long deadline = Long.MAX_VALUE;

	}

}
