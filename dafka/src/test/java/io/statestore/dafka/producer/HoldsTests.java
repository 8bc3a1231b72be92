package io.statestore.dafka.producer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Records that a producer without acknowledgments keeps for consumers that are behind.
 */
@Timeout(60)
class HoldsTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final Bytes CONSUMER = Bytes.of("CONSUMER");

	private static final int MEMORY = 100;

	private final Holds holds = new Holds(10 * SECOND);

	private final MemoryBudget budget = new MemoryBudget(MEMORY * Pending.OVERHEAD);

	private final SendQueue queue = new SendQueue();

	private final ProducerPartition partition = partition("t");

	private final DiscardingOutput output = new DiscardingOutput();

	private final ProducerMachine machine = new ProducerMachine(this.partition.key.address(), this.output, this.queue,
			this.budget, true, Duration.ofSeconds(1).toNanos(), new Completions(this.budget), this.holds);

	private long now = 1;

	@Test
	void keepsRecordsConsumerRequests() throws InterruptedException {
		subscribe();
		send(10);
		fetch(5);
		assertThat(sendUntilFull()).isLessThan(2 * MEMORY);
		assertThat(this.partition.first()).isEqualTo(5);
	}

	@Test
	void requestForEvictedRecordsHoldsNothing() throws InterruptedException {
		subscribe();
		send(10 * MEMORY);
		assertThat(this.partition.first()).isPositive();
		for (int i = 0; i < 3; i++) {
			this.now += 11 * SECOND;
			this.machine.work(this.now);
		}
		fetch(0);
		send(10 * MEMORY);
		assertThat(this.holds.isEmpty()).isTrue();
	}

	@Test
	void requestForRecordsInTransitHoldsRest() throws InterruptedException {
		subscribe();
		send(10 * MEMORY);
		long first = this.partition.first();
		fetch(first - 1);
		assertThat(sendUntilFull()).isLessThan(2 * MEMORY);
		assertThat(this.partition.first()).isEqualTo(first);
	}

	@Test
	void requestFromUnknownSenderHoldsNothing() throws InterruptedException {
		send(10);
		fetch(5);
		send(10 * MEMORY);
		assertThat(this.holds.isEmpty()).isTrue();
	}

	@Test
	void pauseDoesNotRestartTimeout() throws InterruptedException {
		subscribe();
		send(10);
		for (int i = 0; i < 7; i++) {
			fetch(5);
			this.now += 3 * SECOND / 2;
			this.machine.work(this.now);
		}
		fetch(5);
		send(10 * MEMORY);
		assertThat(this.partition.first()).isGreaterThan(5);
	}

	@Test
	void waitsForProgressAfterPause() throws InterruptedException {
		subscribe();
		send(10);
		fetch(5);
		this.now += 20 * SECOND;
		fetch(6);
		assertThat(sendUntilFull()).isLessThan(2 * MEMORY);
		assertThat(this.partition.first()).isEqualTo(6);
	}

	@Test
	void holdsEverythingWithTooManyRequests() {
		this.partition.add(pending());
		for (int i = 0; i <= Holds.MAX; i++) {
			this.holds.requested(Bytes.of("C" + i), this.partition, 0, this.now);
		}
		ProducerPartition other = partition("u");
		assertThat(this.holds.first(other, this.now)).isEqualTo(other.first());
		this.now += 2 * SECOND;
		this.holds.expire(this.now);
		assertThat(this.holds.isEmpty()).isTrue();
		assertThat(this.holds.first(other, this.now)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void closingGivesConsumersTimeToRequestRecords() throws InterruptedException {
		subscribe();
		send(3);
		this.machine.closing();
		this.machine.work(this.now);
		this.now += SECOND / 3;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isFalse();
		fetch(1);
		this.now += SECOND / 3;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isTrue();
		assertThat(this.holds.isEmpty()).isFalse();
	}

	@Test
	void closingGivesTimeOnlyAfterHeadsAreSent() throws InterruptedException {
		subscribe();
		send(3);
		this.output.blocked = true;
		this.machine.closing();
		this.machine.work(this.now);
		this.now += SECOND;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isFalse();
		this.output.blocked = false;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isFalse();
		this.now += SECOND;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isTrue();
	}

	@Test
	void closingKeepsRecordsConsumersMayRequest() throws InterruptedException {
		subscribe();
		for (int i = 0; i < MEMORY; i++) {
			Pending pending = pending();
			assertThat(this.budget.take(pending.cost(), 0)).isTrue();
			this.queue.add(pending);
		}
		this.machine.closing();
		this.machine.work(this.now);
		this.machine.work(this.now);
		assertThat(this.partition.next()).isEqualTo(MEMORY);
		assertThat(this.partition.first()).isZero();
	}

	@Test
	void announcesHeadsAgainAfterMessagesWereDropped() throws InterruptedException {
		subscribe();
		send(3);
		this.output.dropping = true;
		this.machine.closing();
		this.machine.work(this.now);
		this.now += SECOND;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isFalse();
		this.output.dropping = false;
		this.output.commands.clear();
		this.machine.work(this.now);
		assertThat(this.output.commands)
			.containsExactly(new Command.Head(this.partition.key.address(), this.partition.key.subject(), 2));
		this.now += SECOND;
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isTrue();
	}

	@Test
	void closesImmediatelyWithoutConsumers() throws InterruptedException {
		send(3);
		this.machine.closing();
		this.machine.work(this.now);
		assertThat(this.machine.isSettled()).isTrue();
	}

	@Test
	void countsRequestedRecordsWhenClosed() throws InterruptedException {
		subscribe();
		send(10);
		fetch(4);
		this.machine.work(this.now);
		this.machine.closed();
		assertThat(this.machine.abandoned()).containsExactly(new CloseReport.Range(this.partition.names, 4, 6));
	}

	@Test
	void doesNotCountReceivedRecordsWhenClosed() throws InterruptedException {
		subscribe();
		send(10);
		fetch(4);
		this.now += 2 * SECOND;
		this.machine.work(this.now);
		this.machine.closed();
		assertThat(this.machine.abandoned()).isEmpty();
	}

	@Test
	void countsUnsentRecordsWhenClosed() throws InterruptedException {
		send(10);
		this.queue.add(pending());
		this.machine.closed();
		assertThat(this.machine.abandoned()).containsExactly(new CloseReport.Range(this.partition.names, 10, 1));
	}

	private void subscribe() {
		Subscriptions.consumer(CONSUMER).forEach((prefix) -> this.machine.subscribed(prefix, this.now));
	}

	private void fetch(long sequence) {
		this.machine.received(
				new Command.Fetch(this.partition.key.address(), CONSUMER, this.partition.key.subject(), sequence, 1)
					.encode(),
				null, this.now);
	}

	/** Sends records and checks that there is memory for each of them. */
	private void send(int count) throws InterruptedException {
		for (int i = 0; i < count; i++) {
			assertThat(send()).as("record %s, from %s", i, this.partition.first()).isTrue();
		}
	}

	private int sendUntilFull() throws InterruptedException {
		int count = 0;
		while (count < 10 * MEMORY && send()) {
			count++;
		}
		return count;
	}

	private boolean send() throws InterruptedException {
		Pending pending = pending();
		if (!this.budget.take(pending.cost(), 0)) {
			return false;
		}
		this.queue.add(pending);
		this.machine.work(this.now);
		return true;
	}

	private Pending pending() {
		return new Pending(this.partition, Bytes.EMPTY, new CompletableFuture<>());
	}

	private static ProducerPartition partition(String topic) {
		Identity identity = Identity.random();
		return new ProducerPartition(Bytes.of(identity.address()), Bytes.of(topic), identity.counter(topic));
	}

}
