package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.statestore.broker.engine.Answer;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/** Simulated process, whose clock has its own rate and offset. */
final class SimulatedNode implements LockTime {

	final LockWorld world;

	/** Events of a pause, which run after it. */
	private final List<Runnable> missed = new ArrayList<>();

	/** Events of the network during a pause, which keep their order. */
	private final Deque<Runnable> missedFromNetwork = new ArrayDeque<>();

	final List<SimulatedWatch> watches = new ArrayList<>();

	/** Requests waiting for a connection, oldest first. */
	final Deque<SimulatedCall> outbox = new ArrayDeque<>();

	/** Requests in flight. */
	final List<SimulatedCall> calls = new ArrayList<>();

	private final double rate;

	private final long offset;

	final String name;

	/** Whether a caller of this process waits for the lock. */
	boolean waiting;

	private boolean paused;

	boolean dead;

	/** Number of the latest connection, even if the client has not detected it yet. */
	int established;

	/** Number of the connection that the client uses, or -1. */
	int connection;

	private boolean offline;

	/** Holders whose keys this process has asked the store to delete. */
	final Set<Bytes> deleted = new HashSet<>();

	/** Arrival of the latest request without faults. */
	private long lastRequest;

	/** Arrival of the latest message of the store. */
	private long lastArrival;

	/** Time of the latest fault of the client. */
	private long undisturbedSince;

	@Nullable Lease lease;

	@Nullable Bytes holder;

	@Nullable LockLostEvent loss;

	SimulatedNode(LockWorld world, String name) {
		this.world = world;
		this.rate = world.rate();
		this.offset = world.random.nextLong();
		this.name = name;
	}

	void run(Runnable action) {
		if (this.paused) {
			this.missed.add(action);
		}
		else if (!this.dead) {
			action.run();
		}
	}

	/** Runs an event of the network, in order with the others. */
	private void runFromNetwork(Runnable action) {
		if (this.paused) {
			this.missedFromNetwork.add(action);
			this.missed.add(() -> run(this.missedFromNetwork.remove()));
		}
		else {
			run(action);
		}
	}

	/** Delivers a message of the store, in the order they were sent. */
	void deliver(int connection, Runnable action) {
		this.lastArrival = Math.max(this.lastArrival, this.world.now() + this.world.networkDelay());
		this.world.at(this.lastArrival - this.world.now(), null, () -> {
			if (this.established == connection) {
				runFromNetwork(() -> {
					if (this.connection == connection) {
						action.run();
					}
				});
			}
		});
	}

	/** Returns a delay, which reorders requests while there are faults. */
	long requestDelay() {
		long delay = this.world.networkDelay();
		if (this.world.calm) {
			this.lastRequest = Math.max(this.lastRequest, this.world.now() + delay);
			delay = this.lastRequest - this.world.now();
		}
		return delay;
	}

	/** Loses the connection for a while. The client detects it as soon as it runs. */
	void disconnect(long nanos) {
		if (this.offline || this.dead) {
			return;
		}
		this.world.log(() -> this.name + " is offline for " + nanos / LockWorld.MILLI + " ms");
		this.offline = true;
		this.established++;
		this.watches.forEach(this.world.broker::disconnected);
		runFromNetwork(() -> {
			this.connection = -1;
			List.copyOf(this.calls).forEach(SimulatedCall::connectionLost);
			List.copyOf(this.watches).forEach(SimulatedWatch::interrupted);
		});
		this.world.at(nanos, null, this::reconnect);
	}

	private void reconnect() {
		if (this.world.storeDown) {
			this.world.at(this.world.between(1, 100), null, this::reconnect);
			return;
		}
		this.offline = false;
		this.lastArrival = this.world.now();
		int established = this.established;
		runFromNetwork(() -> {
			this.world.log(() -> this.name + " is online");
			this.undisturbedSince = this.world.now();
			this.connection = established;
			// Waiting requests are sent before watches are registered.
			List<SimulatedCall> waiting = new ArrayList<>(this.outbox);
			this.outbox.clear();
			this.calls.addAll(waiting);
			waiting.forEach(SimulatedCall::send);
			List.copyOf(this.watches).forEach(SimulatedWatch::register);
		});
	}

	SimulatedCall call(Command command, @Nullable Version token, Duration timeout, boolean renewal,
			Consumer<@Nullable Answer> reply) {
		SimulatedCall call = new SimulatedCall(this, command, token, renewal, reply);
		if (this.connection >= 0) {
			this.calls.add(call);
			call.send();
		}
		else {
			this.outbox.add(call);
		}
		schedule(timeout, () -> call.finish(null));
		return call;
	}

	void pause(long nanos) {
		this.world.log(() -> this.name + " is paused for " + nanos / LockWorld.MILLI + " ms");
		this.paused = true;
		this.world.at(nanos, null, this::resume);
	}

	/** Ends a pause. Missed events run in any order, except those of the network. */
	void resume() {
		if (this.paused) {
			this.world.log(() -> this.name + " wakes up");
			this.paused = false;
			this.undisturbedSince = this.world.now();
			List<Runnable> actions = new ArrayList<>(this.missed);
			this.missed.clear();
			Collections.shuffle(actions, this.world.random);
			actions.forEach(this::run);
		}
	}

	void die() {
		this.world.log(() -> this.name + " dies");
		this.dead = true;
		this.lease = null;
		this.watches.forEach(this.world.broker::disconnected);
		this.world.nodes.remove(this);
	}

	boolean isValid() {
		return this.lease != null && this.lease.status().isValid();
	}

	/** Returns the deletion of the key of the present tenure, {@code null} if none. */
	LockChecks.@Nullable Breach breach() {
		LockChecks.Breach breach = (this.holder != null) ? this.world.checks.breaches.get(this.holder) : null;
		if (breach == null || this.lease == null || this.holder == null) {
			return null;
		}
		long grantedAt = this.world.checks.grants
			.getOrDefault(new LockChecks.Grant(this.holder, this.lease.status().token().version()), 0L);
		return (grantedAt <= breach.at()) ? breach : null;
	}

	/** Checks that a loss is reported at the deadline. */
	void checkReported() {
		if (!this.paused && this.lease != null && this.loss == null && !this.lease.status().isValid()
				&& this.lease.status().nanosLeft() < -LockWorld.MILLI) {
			this.world.fail(this.name + " was not notified of its loss");
		}
	}

	/**
	 * Checks that a tenure ends within a lease after the deletion of its key. Without
	 * faults of the network, the next renewal or reconnect must detect the deletion.
	 */
	void checkBreach() {
		LockChecks.Breach breach = isValid() ? breach() : null;
		if (breach == null) {
			return;
		}
		if (this.world.now() - breach.at() > LockWorld.LEASE.toNanos()) {
			this.world.fail(this.name + " still relies on a key that was deleted at " + breach.at() / LockWorld.MILLI);
		}
		long since = Math.max(breach.at(), this.undisturbedSince);
		boolean undisturbed = !this.world.faults.lossy() && !this.paused && this.connection >= 0
				&& this.connection == this.established;
		if (undisturbed && this.world.now() - since > LockWorld.LEASE.toNanos() / 3 + LockWorld.MAX_DETECTION) {
			this.world.fail(this.name + " did not find that its key was deleted at " + breach.at() / LockWorld.MILLI);
		}
	}

	/** Returns a timestamp for versions from a wall clock that jumps. */
	String timestamp() {
		long wall = LockWorld.START_OF_WALL_TIME + this.world.now() / LockWorld.MILLI
				+ this.world.between(-20_000, 20_000) / LockWorld.MILLI;
		return wall + ":0:" + this.name;
	}

	/** Writes the protected key, and passes on whether the store accepted it. */
	void write(Version token, Consumer<Boolean> done) {
		Bytes value = Bytes.of(this.name);
		call(new Command.Set(LockWorld.PROTECTED, value, Condition.ALWAYS, null), token, LockWorld.LEASE, false,
				(answer) -> done.accept(answer != null && answer.reply() instanceof Reply.Ok));
	}

	@Override
	public long nanoTime() {
		return this.offset + (long) (this.world.now() * this.rate);
	}

	@Override
	public Runnable schedule(Duration delay, Runnable task) {
		boolean[] cancelled = new boolean[1];
		// Rounded up, because a timer is never early.
		this.world.at((long) Math.ceil(delay.toNanos() / this.rate) + 1, this, () -> {
			if (!cancelled[0]) {
				task.run();
			}
		});
		return () -> cancelled[0] = true;
	}

	@Override
	public double random() {
		return this.world.random.nextDouble();
	}

	/** Returns a key of the store, accessed from this process. */
	LockStore store(Key key) {
		return new SimulatedLockStore(this, key);
	}

}
