package io.statestore.client.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Supplier;

import io.statestore.broker.engine.Answer;
import io.statestore.client.Key;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Simulated world of processes that contend for one lock. It consists of the real engine
 * of the store, a network that delays, loses, repeats, and reorders messages, clocks that
 * run at different rates, and processes that are paused or die. The seed determines all
 * events.
 */
final class LockWorld {

	static final Key LOCK = Key.of("lock");

	static final Key SUCCESSOR = RequestedLock.successor(LOCK);

	static final Bytes PROTECTED = Bytes.of("protected");

	static final Duration LEASE = Duration.ofSeconds(2);

	/** Deviation of a clock. Two clocks differ by less than 1 %. */
	private static final double MAX_DRIFT = 0.004;

	static final long MILLI = 1_000_000;

	/** Longest time to detect a deletion: several round trips of at most 40 ms. */
	static final long MAX_DETECTION = 250 * MILLI;

	static final long START_OF_WALL_TIME = 1_700_000_000_000L;

	private final PriorityQueue<SimulatedEvent> queue = new PriorityQueue<>();

	private final List<String> trace = new ArrayList<>();

	final List<SimulatedNode> nodes = new ArrayList<>();

	final LockChecks checks = new LockChecks(this);

	final Random random;

	final SimulatedFaults faults;

	private final boolean tracing;

	private final double storeRate;

	private final SimulatedNode auditor;

	SimulatedBroker broker;

	private long now;

	private long sequence;

	boolean storeDown;

	/** Whether no further faults occur. */
	boolean calm;

	/** Average delay of messages without faults, 0 for the usual one. */
	private int calmDelayMicros;

	/** Number of other clients that have acquired the lock. */
	private int intruders;

	/** Number of SET requests, by key. */
	final Map<Key, Integer> requests = new HashMap<>();

	LockWorld(long seed, SimulatedFaults faults, boolean tracing) {
		this.tracing = tracing;
		this.random = new Random(seed);
		this.faults = faults;
		this.storeRate = rate();
		this.broker = newBroker();
		this.auditor = new SimulatedNode(this, "auditor");
	}

	private SimulatedBroker newBroker() {
		return new SimulatedBroker(() -> START_OF_WALL_TIME + this.now / MILLI,
				() -> (long) (this.now * this.storeRate));
	}

	/** Returns the rate of a new clock. */
	double rate() {
		return 1 + (this.random.nextDouble() * 2 - 1) * MAX_DRIFT;
	}

	/** Decides whether a fault occurs. */
	boolean chance(double probability) {
		return !this.calm && this.random.nextDouble() < probability;
	}

	/** Decides whether a lossy network fails at this moment. */
	boolean mishap(double probability) {
		return this.faults.lossy() && chance(probability);
	}

	/** Returns a random time in nanoseconds. */
	long between(long minMillis, long maxMillis) {
		return (minMillis + (long) (this.random.nextDouble() * (maxMillis - minMillis))) * MILLI;
	}

	/** Returns the delay of a message. */
	long networkDelay() {
		if (this.calm && this.calmDelayMicros > 0) {
			return this.calmDelayMicros * (500 + this.random.nextInt(1000));
		}
		return mishap(0.03) ? between(100, 3 * LEASE.toMillis())
				: 50_000 + (long) (this.random.nextDouble() * this.random.nextDouble() * 20 * MILLI);
	}

	void log(Supplier<String> line) {
		if (this.tracing) {
			trace(line.get());
		}
	}

	private void trace(String line) {
		this.trace.add(this.now / MILLI + "." + this.now % MILLI / 1000 + " " + line);
	}

	/** Ends the simulation with the latest events. */
	void fail(String problem) {
		throw new AssertionError(
				problem + "\n"
						+ String
							.join("\n",
									this.trace.subList(
											Math.max(0,
													this.trace.size()
															- Integer.getInteger("lock.simulation.lines", 80)),
											this.trace.size())));
	}

	/** Schedules an event, on a process or in the world. */
	void at(long delay, @Nullable SimulatedNode node, Runnable action) {
		this.queue.add(new SimulatedEvent(this.now + Math.max(0, delay), nextNumber(), node, action));
	}

	/** Adds a process. */
	SimulatedNode node(String name) {
		SimulatedNode node = new SimulatedNode(this, name);
		this.nodes.add(node);
		return node;
	}

	/** Ends all faults, and sets the average delay of the network. */
	void calm(int delayMicros) {
		this.calmDelayMicros = delayMicros;
		this.calm = true;
	}

	/** Returns the next number of an event or watch. */
	long nextNumber() {
		return this.sequence++;
	}

	/** Returns the time in nanoseconds. */
	long now() {
		return this.now;
	}

	/** Causes faults up to a time. */
	void unleashFaults(long calmAt) {
		repeat(calmAt, 2_000, 30_000, this::restartStore);
		repeat(calmAt, 500, 10_000, this::disconnectOne);
		if (this.faults.operator()) {
			repeat(calmAt, 300, 6_000, this::breakIn);
		}
		at(calmAt, null, () -> {
			log(() -> "calm");
			this.calm = true;
			this.storeDown = false;
			// All delayed messages have arrived by then.
			this.checks.expectService(this.now + 4 * LEASE.toNanos());
			this.nodes.forEach(SimulatedNode::resume);
		});
	}

	private void repeat(long until, long minMillis, long maxMillis, Runnable fault) {
		at(between(minMillis, maxMillis), null, () -> {
			if (this.now < until) {
				fault.run();
				repeat(until, minMillis, maxMillis, fault);
			}
		});
	}

	private void disconnectOne() {
		if (!this.nodes.isEmpty()) {
			this.nodes.get(this.random.nextInt(this.nodes.size())).disconnect(between(1, 2 * LEASE.toMillis()));
		}
	}

	private void restartStore() {
		log(() -> "store goes down");
		this.storeDown = true;
		if (this.faults.forgets()) {
			breach();
			this.broker = newBroker();
			this.checks.recordEmptyStore();
		}
		long outage = between(5, 3_000);
		List.copyOf(this.nodes).forEach((node) -> node.disconnect(outage + networkDelay()));
		at(outage, null, () -> {
			log(() -> "store is back");
			this.storeDown = false;
		});
	}

	/** Deletes the key of the lock. Often another client then holds it for a while. */
	private void breakIn() {
		if (this.storeDown) {
			return;
		}
		log(() -> "operator deletes the lock");
		breach();
		apply(new Command.Del(LOCK.bytes()), null);
		if (this.random.nextBoolean()) {
			at(between(0, 50), null, () -> intrude(Bytes.of("intruder#" + this.intruders++)));
		}
	}

	private void intrude(Bytes holder) {
		if (this.storeDown) {
			return;
		}
		Answer answer = apply(new Command.Set(LOCK.bytes(), holder, Condition.IF_ABSENT, LEASE), null);
		if (answer.reply() instanceof Reply.Ok) {
			Version token = Objects.requireNonNull(answer.version());
			log(() -> holder.toUtf8() + " holds the lock, token " + token);
			if (this.random.nextBoolean()) {
				this.checks.recordWrite("intruder", token,
						apply(new Command.Set(PROTECTED, holder, Condition.ALWAYS, null), token.toString()));
			}
			at(between(0, 1_000), null, () -> {
				if (!this.storeDown) {
					log(() -> holder.toUtf8() + " releases the lock");
					apply(new Command.VDel(LOCK.bytes(), holder), null);
				}
			});
		}
	}

	/** Records that the key of the present holder is about to be deleted or lost. */
	private void breach() {
		Answer stored = apply(new Command.Get(LOCK.bytes()), null);
		if (stored.reply() instanceof Reply.Value value) {
			this.checks.recordBreach(value.value());
		}
	}

	private Answer apply(Command command, @Nullable String token) {
		return this.broker.apply(command, this.auditor.timestamp(), token);
	}

	/** Runs all events up to a time. */
	void run(long until) {
		while (true) {
			SimulatedEvent event = this.queue.peek();
			long expiry = Math.max(1, (long) (this.broker.nanosToNextDeadline() / this.storeRate));
			long expireAt = (this.storeDown || expiry > until) ? Long.MAX_VALUE : this.now + expiry;
			if (event == null || Math.min(event.time(), expireAt) > until) {
				this.now = until;
				return;
			}
			if (expireAt < event.time()) {
				this.now = expireAt;
				this.broker.expire();
			}
			else {
				this.queue.remove();
				this.now = event.time();
				event.run();
			}
			this.checks.run();
		}
	}

	/** Returns whether the store has a value under a key. */
	boolean isTaken(Key key) {
		return this.broker.apply(new Command.Get(key.bytes()), null, null).reply() instanceof Reply.Value;
	}

}
