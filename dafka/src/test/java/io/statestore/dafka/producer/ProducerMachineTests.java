package io.statestore.dafka.producer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.statestore.dafka.reading.internal.Machine;
import io.statestore.dafka.Bytes;
import io.statestore.dafka.Position;
import io.statestore.dafka.reading.internal.Command;
import io.statestore.dafka.reading.internal.Subscriptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Publication, eviction, and answers of a {@link ProducerMachine}. */
@Timeout(60)
class ProducerMachineTests {

	@Test
	void evictsLastRecordInTopicLast() throws InterruptedException {
		MemoryBudget budget = new MemoryBudget(4 * Pending.OVERHEAD);
		SendQueue queue = new SendQueue();
		ProducerPartition quiet = partition(Identity.random());
		ProducerPartition busy = new ProducerPartition(quiet.key.address(), Bytes.of("u"),
				Identity.random().counter("u"));
		ProducerMachine machine = machine(new DiscardingOutput(), queue, budget, quiet);
		send(quiet, queue, budget, machine);
		for (int i = 0; i < 20; i++) {
			send(busy, queue, budget, machine);
		}
		assertThat(quiet.get(0)).isNotNull();
		assertThat(busy.get(19)).isNotNull();
		assertThat(machine.evicted.sum()).isPositive();
	}

	@Test
	void announcesAllTopicHeadsToNewSubscriber() {
		SendQueue queue = new SendQueue();
		ProducerPartition one = partition(Identity.random());
		Bytes address = one.key.address();
		ProducerPartition two = new ProducerPartition(address, Bytes.of("u"), Identity.random().counter("u"));
		DiscardingOutput output = new DiscardingOutput();
		ProducerMachine machine = machine(output, queue, new MemoryBudget(Long.MAX_VALUE / 2), one);
		queue.add(pending(one));
		queue.add(pending(one));
		queue.add(pending(two));
		machine.work(0);
		output.commands.clear();
		Subscriptions.topic(Bytes.of("t")).forEach((prefix) -> machine.subscribed(prefix, 1));
		machine.work(1);
		assertThat(output.commands).containsExactlyInAnyOrder(new Command.Head(address, Bytes.of("t"), 1),
				new Command.Head(address, Bytes.of("u"), 0));
	}

	@Test
	void subscribesOnlyToAcknowledgmentsAndRequests() {
		ProducerPartition partition = partition(Identity.random());
		ProducerMachine machine = machine(new DiscardingOutput(), new SendQueue(), new MemoryBudget(1_024), partition);
		String address = partition.key.address().toText();
		assertThat(machine.subscriptions()).containsExactly(("K" + address).getBytes(StandardCharsets.US_ASCII),
				("F" + address).getBytes(StandardCharsets.US_ASCII));
	}

	@Test
	void answersRequestsWhileNewRecordsUseAllCapacity() {
		SendQueue queue = new SendQueue();
		ProducerPartition partition = partition(Identity.random());
		DiscardingOutput output = new DiscardingOutput();
		ProducerMachine machine = machine(output, queue, new MemoryBudget(Long.MAX_VALUE / 2), partition);
		for (int i = 0; i < 1_000; i++) {
			queue.add(pending(partition));
		}
		output.room(10);
		machine.work(0);
		fetch(machine, partition, 0, 5);
		for (int turn = 0; turn < 5; turn++) {
			output.room(10);
			machine.work(0);
		}
		assertThat(machine.fetched()).isEqualTo(5);
		assertThat(machine.sent.sum()).isGreaterThan(30);
	}

	@Test
	void repeatedRequestKeepsRestOfAnswer() {
		SendQueue queue = new SendQueue();
		ProducerPartition partition = partition(Identity.random());
		DiscardingOutput output = new DiscardingOutput();
		ProducerMachine machine = machine(output, queue, new MemoryBudget(Long.MAX_VALUE / 2), partition);
		for (int i = 0; i < 10; i++) {
			queue.add(pending(partition));
		}
		machine.work(0);
		fetch(machine, partition, 2, 6);
		output.room(4);
		machine.work(0);
		// A consumer repeats the request for its next record, which is in transit.
		fetch(machine, partition, 3, 1);
		output.room(100);
		machine.work(0);
		assertThat(machine.fetched()).isEqualTo(6);
	}

	@Test
	void retriesSoonWhenContinuationsAreBehind() {
		MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE / 2);
		SendQueue queue = new SendQueue();
		ProducerPartition partition = partition(Identity.random());
		ProducerMachine machine = machine(new DiscardingOutput(), queue, budget, partition);
		CountDownLatch released = new CountDownLatch(1);
		int records = 110_000;
		for (int i = 0; i < records; i++) {
			CompletableFuture<Position> future = new CompletableFuture<>();
			future.thenRun(() -> awaitLatch(released));
			queue.add(new Pending(partition, Bytes.EMPTY, future));
		}
		long next = 0;
		for (long sent = -1; sent < machine.sent.sum();) {
			sent = machine.sent.sum();
			next = machine.work(0);
		}
		assertThat(machine.sent.sum()).isBetween(100_000L, records - 1L);
		assertThat(next).isBetween(1L, Duration.ofMillis(10).toNanos());
		released.countDown();
		await("the rest").until(() -> machine.work(0) >= 0 && machine.sent.sum() == records);
	}

	private static void awaitLatch(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static ProducerMachine machine(Machine.Output output, SendQueue queue, MemoryBudget budget,
			ProducerPartition partition) {
		return new ProducerMachine(partition.key.address(), output, queue, budget, true,
				Duration.ofSeconds(1).toNanos(), new Completions(budget), new Holds(Duration.ofSeconds(10).toNanos()));
	}

	private static void send(ProducerPartition partition, SendQueue queue, MemoryBudget budget, ProducerMachine machine)
			throws InterruptedException {
		Pending pending = pending(partition);
		assertThat(budget.take(pending.cost(), 0)).isTrue();
		queue.add(pending);
		machine.work(0);
	}

	private static void fetch(ProducerMachine machine, ProducerPartition partition, long sequence, long count) {
		Command fetch = new Command.Fetch(partition.key.address(), Bytes.of("consumer"), partition.key.subject(),
				sequence, count);
		assertThat(machine.received(fetch.encode(), null, 0)).isTrue();
	}

	private static ProducerPartition partition(Identity identity) {
		return new ProducerPartition(Bytes.of(identity.address()), Bytes.of("t"), identity.counter("t"));
	}

	private static Pending pending(ProducerPartition partition) {
		return new Pending(partition, Bytes.EMPTY, new CompletableFuture<>());
	}

}
