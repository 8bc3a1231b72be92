package io.statestore.broker.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.session.SessionsSnapshot;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Restores a machine's contents from a {@link StateSnapshot}. */
final class SnapshotReader {

	private final Decoder decoder;

	private final VersionClock clock;

	private final Supplier<KeySpace> newKeys;

	private final RequestMemory memory = new RequestMemory();

	private final Sessions sessions = new Sessions();

	private final int format;

	private final long size;

	private final long lastOrder;

	private final long lastRank;

	private final Version lastChange;

	private final long maxLostMillis;

	/** Node id of the last key's fencing token, reused because keys often share it. */
	private String fenceNode = "";

	SnapshotReader(Decoder decoder) {
		this.decoder = decoder;
		this.format = decoder.readFormat(StateSnapshot.FORMAT);
		long logTime = decoder.readLong();
		if (logTime < 0) {
			throw decoder.malformed("its log time is out of range");
		}
		this.clock = new VersionClock(decoder.readVersion());
		this.clock.begin(decoder.readLong());
		long seed = decoder.readLong();
		int bits = decoder.readByte();
		this.size = decoder.readNumber();
		if (!KeyTable.isPossible(bits, this.size)) {
			throw decoder.malformed("a table of " + this.size + " keys with " + bits + " bits");
		}
		long maxKeys = positive();
		long maxBytes = positive();
		this.memory.limit(decoder.readNumber());
		this.memory.setRetentionNanos(decoder.readNumber());
		this.lastOrder = decoder.readNumber();
		this.lastRank = decoder.readNumber();
		this.lastChange = decoder.readVersionOf(VersionClock.NODE_ID);
		this.maxLostMillis = decoder.readNumber();
		Quota quota = new Quota(maxKeys, maxBytes, (this.format > 1) ? positive() : Long.MAX_VALUE);
		Quota limits = hasSessions() ? quota.withSessions(positive(), positive()) : quota;
		this.sessions.limit(limits.sessionMemory(), limits.memoryPerSession());
		this.newKeys = () -> {
			// Allocated once: the table does not grow while keys are added.
			KeySpace keys = new KeySpace(new KeyTable(seed, bits));
			keys.startAt(logTime);
			keys.limit(limits);
			return keys;
		};
	}

	private boolean hasSessions() {
		return this.format > StateSnapshot.FORMAT_WITHOUT_SESSIONS;
	}

	private long positive() {
		long number = this.decoder.readNumber();
		if (number < 1) {
			throw this.decoder.malformed("a limit is out of range");
		}
		return number;
	}

	/** Returns the number of keys. */
	long size() {
		return this.size;
	}

	VersionClock clock() {
		return this.clock;
	}

	Version lastChange() {
		return this.lastChange;
	}

	long maxLostMillis() {
		return this.maxLostMillis;
	}

	RequestMemory memory() {
		return this.memory;
	}

	Sessions sessions() {
		return this.sessions;
	}

	/**
	 * Reads the keys, the replies, and the sessions.
	 * @return the restored keys
	 */
	KeySpace read() {
		KeySpace keys = this.newKeys.get();
		List<ClientReplies> clients = new ArrayList<>();
		for (int item = this.decoder.readByte(); item != StateSnapshot.END; item = this.decoder.readByte()) {
			if (item == StateSnapshot.KEY) {
				add(readKey(), keys);
			}
			else if (item == StateSnapshot.CLIENT) {
				clients.add(readClient(null));
			}
			else if (item == StateSnapshot.CLIENT_OF_PRINCIPAL) {
				clients.add(readClient(readPrincipal()));
			}
			else if (item == StateSnapshot.REPLY && !clients.isEmpty()) {
				clients.get(clients.size() - 1).append(readReply());
			}
			else {
				throw this.decoder.malformed("an item has type " + item);
			}
		}
		this.memory.restore(clients, this.lastOrder, this.lastRank);
		if (keys.table().size() != this.size) {
			throw this.decoder.malformed("it has " + keys.table().size() + " keys instead of " + this.size);
		}
		if (hasSessions()) {
			SessionsSnapshot.restore(this.decoder, this.sessions);
		}
		return keys;
	}

	private String readPrincipal() {
		String principal = this.decoder.readString();
		if (principal.isEmpty()) {
			throw this.decoder.malformed("the name of a principal is empty");
		}
		return principal;
	}

	private ClientReplies readClient(@Nullable String principal) {
		ClientReplies client = new ClientReplies(new Requester(principal, this.decoder.readString()));
		client.setOrder(this.decoder.readNumber());
		client.setRank(this.decoder.readNumber());
		return client;
	}

	private RememberedReply readReply() {
		return new RememberedReply(this.decoder.readArray(), this.decoder.readInt(), AnswerCodec.decode(this.decoder),
				this.decoder.readLong());
	}

	/**
	 * Reads the next key, without the rest of the snapshot.
	 * @return the key, {@code null} after the last key
	 */
	@Nullable StoredKey nextKey() {
		return (this.decoder.readByte() == StateSnapshot.KEY) ? readKey() : null;
	}

	private StoredKey readKey() {
		int flags = this.decoder.readByte();
		byte[] key = this.decoder.readArray();
		byte[] value = this.decoder.readArray();
		Version version = this.decoder.readVersionOf(VersionClock.NODE_ID);
		Version fence = ((flags & StateSnapshot.FENCED) != 0) ? readFence() : null;
		long deadline = ((flags & StateSnapshot.EXPIRES) != 0) ? this.decoder.readNumber() : KeySpace.NEVER;
		String owner = ((flags & StateSnapshot.OWNED) != 0) ? readPrincipal() : null;
		return new StoredKey(key, value, version, fence, deadline, (flags & StateSnapshot.PERSISTENT) != 0, owner);
	}

	private void add(StoredKey stored, KeySpace keys) {
		if (keys.table().size() == this.size) {
			throw this.decoder.malformed("it has more than " + this.size + " keys");
		}
		KeyOwner owner = (stored.owner() != null) ? keys.owners().of(stored.owner()) : null;
		int hash = keys.table().hash(Bytes.wrap(stored.key()));
		// A snapshot does not contain the condition under which the key was set.
		boolean leased = stored.deadline() != KeySpace.NEVER && stored.value().length <= LockNames.MAX_HOLDER_LENGTH;
		Entry entry = leased ? new LeasedEntry(hash, stored.key(), owner)
				: (owner != null) ? new OwnedEntry(hash, stored.key(), owner) : new Entry(hash, stored.key());
		entry.change(stored.value(), stored.version(), stored.fence(), stored.persistent());
		keys.add(entry, stored.deadline());
	}

	private Version readFence() {
		Version fence = this.decoder.readVersion();
		if (fence.nodeId().equals(this.fenceNode)) {
			return new Version(fence.wallMillis(), fence.counter(), this.fenceNode);
		}
		this.fenceNode = fence.nodeId();
		return fence;
	}

	/**
	 * A key in a snapshot.
	 *
	 * @param deadline when the key expires, {@link KeySpace#NEVER} if it does not
	 * @param owner the principal that has created the key
	 */
	record StoredKey(byte[] key, byte[] value, Version version, @Nullable Version fence, long deadline,
			boolean persistent, @Nullable String owner) {
	}

}
