package io.statestore.dafka.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Machine;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Network of machines in virtual time. It loses, delays, repeats, and reorders messages,
 * and sometimes has no room.
 */
final class Network {

	private static final long STEP_NANOS = 1_000_000;

	private final Random random;

	private final int lossPercent;

	private final int delayMillis;

	private final List<Member> members = new ArrayList<>();

	private final PriorityQueue<Message> messages = new PriorityQueue<>();

	/** Messages to suspended members. */
	private final List<Message> delayed = new ArrayList<>();

	private long order;

	long now = 1;

	Network(Random random, int lossPercent, int delayMillis) {
		this.random = random;
		this.lossPercent = lossPercent;
		this.delayMillis = delayMillis;
	}

	/** Adds a machine and exchanges subscriptions with the others. */
	Member join(Function<Machine.Output, Machine> machines) {
		Member joined = new Member();
		joined.machine = machines.apply(joined);
		for (Member other : this.members) {
			joined.subscriptions().forEach((prefix) -> other.machine().subscribed(prefix, this.now));
			other.subscriptions().forEach((prefix) -> joined.machine().subscribed(prefix, this.now));
		}
		this.members.add(joined);
		return joined;
	}

	/** Removes a machine immediately and drops the messages it has not handled. */
	void leave(Member member) {
		this.members.remove(member);
	}

	/** Suspends a member. It stays connected, and messages to it wait. */
	void suspend(Member member) {
		member.suspended = true;
	}

	/** Resumes a suspended member. */
	void resume(Member member) {
		member.suspended = false;
		this.messages.addAll(this.delayed);
		this.delayed.clear();
	}

	/**
	 * Loses all messages that a member sends, as if its peers had not connected to it
	 * yet.
	 */
	void mute(Member member) {
		member.muted = true;
	}

	/** Stops losing the messages that a member sends. */
	void unmute(Member member) {
		member.muted = false;
	}

	void runFor(Duration duration) {
		long end = this.now + duration.toNanos();
		while (this.now < end) {
			step();
		}
	}

	void runUntil(String what, BooleanSupplier condition) {
		long end = this.now + 60_000 * STEP_NANOS;
		while (!condition.getAsBoolean()) {
			assertThat(this.now).as("Still waiting for: " + what).isLessThan(end);
			step();
		}
	}

	private void step() {
		this.now += STEP_NANOS;
		for (Message next = this.messages.peek(); next != null && next.at <= this.now; next = this.messages.peek()) {
			this.messages.remove();
			if (next.to.suspended) {
				this.delayed.add(next);
			}
			else if (this.members.contains(next.to)) {
				assertThat(next.to.machine().received(next.header, next.content, this.now)).isTrue();
			}
		}
		for (Member member : this.members) {
			for (int i = 0; i < 10 && !member.suspended && member.machine().work(this.now) <= this.now; i++) {
				// The machine has more work.
			}
		}
	}

	final class Member implements Machine.Output {

		private @Nullable Machine machine;

		private boolean suspended;

		private boolean muted;

		private @Nullable List<byte[]> subscriptions;

		Machine machine() {
			if (this.machine == null) {
				throw new IllegalStateException();
			}
			return this.machine;
		}

		private List<byte[]> subscriptions() {
			if (this.subscriptions == null) {
				this.subscriptions = machine().subscriptions();
			}
			return this.subscriptions;
		}

		@Override
		public void send(Command command) {
			publish(command.encode(), null);
		}

		@Override
		public boolean hasRoom() {
			return Network.this.random.nextInt(20) != 0;
		}

		@Override
		public boolean offer(byte[] header, Bytes content) {
			if (Network.this.random.nextInt(20) == 0) {
				return false;
			}
			publish(header, content.unwrap());
			return true;
		}

		private void publish(byte[] header, byte @Nullable [] content) {
			Random random = Network.this.random;
			for (Member other : Network.this.members) {
				if (other != this && other.subscriptions()
					.stream()
					.anyMatch((prefix) -> Arrays.equals(prefix, Arrays.copyOf(header, prefix.length)))) {
					for (int copies = (random.nextInt(50) == 0) ? 2 : 1; copies > 0; copies--) {
						if (!this.muted && random.nextInt(100) >= Network.this.lossPercent) {
							long delay = (long) (random.nextDouble() * Network.this.delayMillis * STEP_NANOS);
							Network.this.messages.add(new Message(Network.this.now + delay, Network.this.order++, other,
									header, content));
						}
					}
				}
			}
		}

	}

	private record Message(long at, long order, Member to, byte[] header,
			byte @Nullable [] content) implements Comparable<Message> {

		@Override
		public int compareTo(Message other) {
			return (this.at != other.at) ? Long.compare(this.at, other.at) : Long.compare(this.order, other.order);
		}

	}

}
