package io.statestore.client.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.statestore.client.CommandInvoker;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOutcomeUnknownException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A state store and its network, in virtual time. Messages are delayed randomly, and lost
 * with their connection.
 */
final class SimulatedStore implements CommandInvoker, NotificationSource {

	final Map<Bytes, Stored> entries = new HashMap<>();

	/** Result of the latest GET of each key, {@code null} if it was absent. */
	final Map<Bytes, @Nullable Stored> lastRead = new HashMap<>();

	/** All changes, as notifications contain them. */
	final List<KeyChange<Bytes>> changes = new ArrayList<>();

	/** Versions of local writes. */
	final Set<Version> ownVersions = new HashSet<>();

	/** Local writes whose replies arrived, and the times when they were sent. */
	final Map<String, Long> ownChangesReplied = new HashMap<>();

	int keyNotifies;

	/** Whether replies and notifications overtake each other. */
	boolean unordered;

	/** Whether every notification is sent twice: to the client id and by subscription. */
	boolean pushesTwice;

	/** Percentage of notifications that cannot be decoded. */
	int unreadable;

	/** Percentage of commands that fail. */
	int failures;

	private final Set<Version> usedVersions = new HashSet<>();

	private final Set<Bytes> watched = new HashSet<>();

	/** GETs that lost their connection. They are sent again, as the real client does. */
	private final List<Runnable> readAgain = new ArrayList<>();

	private final VirtualTime time;

	private final Random random;

	private @Nullable Handler handler;

	private boolean connected;

	private int connection;

	private long clockOffset = 1_000_000_000L;

	private Version last = new Version(0, 0, "StateStore");

	private long notificationsArrive;

	private long repliesArrive;

	private long requestsArrive;

	SimulatedStore(VirtualTime time, Random random) {
		this.time = time;
		this.random = random;
	}

	@Override
	public void open(Handler handler) {
		this.handler = handler;
		if (this.connected) {
			handler.connected();
		}
	}

	@Override
	public void close() {
		this.handler = null;
	}

	@Override
	public boolean isWatchable(Bytes key) {
		return true;
	}

	@Override
	public boolean isConnected() {
		return this.connected;
	}

	void connect() {
		if (!this.connected) {
			this.connected = true;
			this.connection++;
			List<Runnable> again = List.copyOf(this.readAgain);
			this.readAgain.clear();
			again.forEach(Runnable::run);
			if (this.handler != null) {
				this.handler.connected();
			}
		}
	}

	void cut() {
		if (this.connected) {
			this.connected = false;
			this.connection++;
			this.watched.clear();
			if (this.handler != null) {
				this.handler.disconnected();
			}
		}
	}

	/** Refuses the subscription for notifications. */
	void refuse(StateStoreException reason) {
		if (this.handler != null) {
			this.handler.refused(reason);
		}
	}

	/** Ends a connection whose subscription was refused. */
	void cutRefused() {
		if (this.handler != null) {
			this.handler.disconnected();
		}
	}

	/** Drops all watches, as a restarted gateway does. */
	void forgetWatches() {
		this.watched.clear();
	}

	void loseData() {
		cut();
		this.entries.clear();
	}

	/** Sets the clock of the server back. */
	void loseClock(long millis) {
		cut();
		this.clockOffset -= millis;
		this.last = new Version(0, 0, "StateStore");
	}

	void restore(Map<Bytes, Stored> copy) {
		cut();
		this.entries.clear();
		this.entries.putAll(copy);
		copy.values().forEach((stored) -> {
			// New versions follow those of the data, whatever the clock shows.
			if (stored.version().compareTo(this.last) > 0) {
				this.last = stored.version();
			}
		});
	}

	Version set(Bytes key, Bytes value) {
		Version version = tick();
		this.entries.put(key, new Stored(value, version));
		changed(new KeyChange<>(Key.of(key), Operation.SET, value, version, false));
		return version;
	}

	@Nullable Version delete(Bytes key) {
		if (this.entries.remove(key) == null) {
			return null;
		}
		Version version = tick();
		changed(new KeyChange<>(Key.of(key), Operation.DELETE, null, version, false));
		return version;
	}

	private Version tick() {
		long wall = this.clockOffset + this.time.now();
		this.last = (wall > this.last.wallMillis()) ? new Version(wall, 0, "StateStore") : next();
		// A version used twice, before and after a restart, could not be detected.
		while (!this.usedVersions.add(this.last)) {
			this.last = next();
		}
		return this.last;
	}

	private Version next() {
		return new Version(this.last.wallMillis(), this.last.counter() + 1, "StateStore");
	}

	private void changed(KeyChange<Bytes> change) {
		this.changes.add(change);
		if (!this.watched.contains(change.key().bytes())) {
			return;
		}
		for (int i = 0; i < (this.pushesTwice ? 2 : 1); i++) {
			this.notificationsArrive = Math.max(this.notificationsArrive, this.time.now() + this.random.nextInt(20));
			if (!this.unordered) {
				this.notificationsArrive = Math.max(this.notificationsArrive, this.repliesArrive);
			}
			int sentOn = this.connection;
			this.time.after(this.notificationsArrive - this.time.now(), () -> {
				if (sentOn == this.connection && this.handler != null) {
					notify(this.handler, change);
				}
			});
		}
	}

	private void notify(Handler handler, KeyChange<Bytes> change) {
		if (this.random.nextInt(100) < this.unreadable) {
			handler.unreadable(change.key().bytes());
		}
		else {
			handler.changed(change);
		}
	}

	@Override
	public CompletableFuture<Response> invoke(Command command, Options options) {
		CompletableFuture<Response> reply = new CompletableFuture<>();
		if (this.connected) {
			send(command, reply);
		}
		else {
			fail(reply, "not connected");
		}
		return reply;
	}

	private void send(Command command, CompletableFuture<Response> reply) {
		int sentOn = this.connection;
		this.requestsArrive = Math.max(this.requestsArrive, this.time.now() + this.random.nextInt(20));
		long sentAt = this.time.now();
		this.time.after(this.requestsArrive - sentAt, () -> arrived(command, reply, sentOn, sentAt));
	}

	private void arrived(Command command, CompletableFuture<Response> reply, int sentOn, long sentAt) {
		if (sentOn != this.connection && !this.connected && command instanceof Command.Get) {
			this.readAgain.add(() -> send(command, reply));
			return;
		}
		if (sentOn != this.connection || this.random.nextInt(100) < this.failures) {
			fail(reply, "lost");
			return;
		}
		if (this.random.nextInt(100) < this.failures && !(command instanceof Command.Write)) {
			this.time.after(5, () -> reply
				.completeExceptionally(new StateStoreRefusedException(ErrorReason.QUOTA_EXCEEDED, "refused")));
			return;
		}
		Response response = apply(command);
		this.repliesArrive = Math.max(this.repliesArrive, this.time.now() + this.random.nextInt(20));
		if (!this.unordered) {
			this.repliesArrive = Math.max(this.repliesArrive, this.notificationsArrive);
		}
		this.time.after(this.repliesArrive - this.time.now(), () -> {
			if (sentOn != this.connection) {
				fail(reply, "connection lost");
				return;
			}
			// Replies and notifications arrive on different threads.
			this.time.after(this.random.nextInt(10), () -> {
				if (command instanceof Command.Write write && response.version() != null) {
					this.ownChangesReplied.put(describe(Key.of(write.key()),
							(command instanceof Command.Set) ? Operation.SET : Operation.DELETE, response.version()),
							sentAt);
				}
				reply.complete(response);
			});
		});
	}

	static String describe(Key key, Operation operation, Version version) {
		return operation + " " + key + ' ' + version;
	}

	private void fail(CompletableFuture<Response> reply, String why) {
		StateStoreException failure = new StateStoreOutcomeUnknownException(why);
		this.time.after(this.random.nextInt(3000), () -> reply.completeExceptionally(failure));
	}

	private Response apply(Command command) {
		if (command instanceof Command.Get get) {
			Stored stored = this.entries.get(get.key());
			this.lastRead.put(get.key(), stored);
			return (stored != null) ? new Response(new Reply.Value(stored.value()), stored.version())
					: new Response(new Reply.Missing(), null);
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			this.keyNotifies++;
			this.watched.add(keyNotify.key());
			return new Response(new Reply.Ok(), null);
		}
		if (command instanceof Command.KeyNotifyStop stop) {
			return new Response(this.watched.remove(stop.key()) ? new Reply.Ok() : new Reply.Count(0), null);
		}
		if (command instanceof Command.Set set) {
			Version version = set(set.key(), set.value());
			this.ownVersions.add(version);
			return new Response(new Reply.Ok(), version);
		}
		Version version = delete(((Command.Write) command).key());
		if (version == null) {
			return new Response(new Reply.Count(0), null);
		}
		this.ownVersions.add(version);
		return new Response(new Reply.Count(1), version);
	}

	record Stored(Bytes value, Version version) {
	}

}
