package io.statestore.dafka.producer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.statestore.dafka.Bytes;
import io.statestore.dafka.Options;
import io.statestore.dafka.Position;
import io.statestore.dafka.node.Output;
import io.statestore.dafka.wire.Command;
import io.statestore.dafka.wire.Encoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** The parts of a producer without sockets. */
@Timeout(60)
class ProducerPartsTests {

	@TempDir
	Path directory;

	@Test
	void anIdentityKeepsItsAddressAndCounters() {
		String address;
		String longTopic = "x".repeat(255);
		try (Identity identity = Identity.directory(this.directory)) {
			address = identity.address();
			assertThat(address).matches("[0-9A-F]{32}");
			identity.counter("t").setNext(7);
			identity.counter("t").setAcknowledged(5);
			identity.counter(longTopic).setNext(9);
		}
		try (Identity identity = Identity.directory(this.directory)) {
			assertThat(identity.address()).isEqualTo(address);
			assertThat(identity.counter("t").next()).isEqualTo(7);
			assertThat(identity.counter("t").acknowledged()).isEqualTo(5);
			assertThat(identity.counter(longTopic).next()).isEqualTo(9);
			assertThat(identity.counter("other").next()).isZero();
		}
	}

	@Test
	void anIdentityWithADamagedAddressIsRefused() throws IOException {
		Files.writeString(this.directory.resolve("address"), "x".repeat(300));
		assertThatIllegalArgumentException().isThrownBy(() -> Identity.directory(this.directory))
			.withMessageContaining("1 to 255 characters");
	}

	@Test
	void aLaneKeepsRecordsUntilTheyAreAcknowledged() {
		Lane lane = lane(Identity.random());
		List<Pending> acknowledged = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			lane.add(pending(lane));
		}
		lane.acknowledge(99, acknowledged::add);
		assertThat(acknowledged).hasSize(100);
		assertThat(lane.get(99)).isNull();
		assertThat(lane.get(100)).satisfies((pending) -> assertThat(pending.sequence).isEqualTo(100));
		assertThat(lane.answerFrom(50, 1)).as("somebody has it").isEqualTo(Long.MAX_VALUE);
		lane.acknowledge(10, acknowledged::add);
		lane.acknowledge(1_000, acknowledged::add);
		assertThat(acknowledged).hasSize(200);
		assertThat(lane.isEmpty()).isTrue();
	}

	@Test
	void answersThePartOfRequestThatIsKept() {
		Lane lane = lane(Identity.random());
		for (int i = 0; i < 20; i++) {
			lane.add(pending(lane));
		}
		lane.acknowledge(9, (pending) -> {
		});
		assertThat(lane.answerFrom(0, 10)).isEqualTo(Long.MAX_VALUE);
		assertThat(lane.answerFrom(0, 11)).isEqualTo(10);
		assertThat(lane.answerFrom(12, 1)).isEqualTo(12);
	}

	@Test
	void aFetchOfWhatDiedWithAnEarlierProducerIsAnsweredWithTheFirstRecordThereIs() {
		try (Identity identity = Identity.directory(this.directory)) {
			identity.counter("t").setNext(20);
			identity.counter("t").setAcknowledged(10);
			Lane lane = lane(identity);
			lane.add(pending(lane));
			assertThat(lane.answerFrom(15, 1)).isEqualTo(20);
			assertThat(lane.answerFrom(5, 1)).isEqualTo(Long.MAX_VALUE);
			assertThat(lane.next()).isEqualTo(21);
		}
	}

	@Test
	void whatWasAcknowledgedAfterARestartIsNotToldToBeGoneWithWhatDiedBefore() {
		try (Identity identity = Identity.directory(this.directory)) {
			identity.counter("t").setNext(20);
			identity.counter("t").setAcknowledged(10);
			Lane lane = lane(identity);
			lane.add(pending(lane));
			lane.add(pending(lane));
			lane.acknowledge(20, (pending) -> {
			});
			assertThat(lane.answerFrom(15, 1)).as("a store has 20").isEqualTo(Long.MAX_VALUE);
			assertThat(lane.answerFrom(21, 1)).isEqualTo(21);
		}
	}

	@Test
	void aFetchOfWhatWasForgottenIsAnsweredWithTheFirstRecordThereIsUnlessAStoreHasIt() {
		Lane lane = lane(Identity.random());
		for (int i = 0; i < 20; i++) {
			lane.add(pending(lane));
		}
		lane.acknowledge(4, (pending) -> {
		});
		lane.removeTo(10, (pending) -> {
		});
		assertThat(lane.answerFrom(4, 1)).isEqualTo(Long.MAX_VALUE);
		assertThat(lane.answerFrom(5, 1)).isEqualTo(10);
		lane.acknowledge(7, (pending) -> {
		});
		assertThat(lane.answerFrom(7, 1)).as("a store has it by now").isEqualTo(Long.MAX_VALUE);
		assertThat(lane.answerFrom(8, 1)).isEqualTo(10);
	}

	@Test
	void theLastRecordOfEachTopicIsTheLastToBeForgotten() throws InterruptedException {
		MemoryBudget budget = new MemoryBudget(4 * Pending.OVERHEAD);
		SendQueue queue = new SendQueue();
		Lane quiet = lane(Identity.random());
		Lane busy = new Lane(quiet.key.address(), Options.topic("u"), Identity.random().counter("u"));
		ProducerMachine machine = machine(new DiscardingOutput(), queue, budget, quiet);
		send(quiet, queue, budget, machine);
		for (int i = 0; i < 20; i++) {
			send(busy, queue, budget, machine);
		}
		assertThat(quiet.get(0)).isNotNull();
		assertThat(busy.get(19)).isNotNull();
		assertThat(machine.forgotten.sum()).isPositive();
	}

	@Test
	void fetchesAreAnsweredAlthoughNewRecordsTakeAllTheRoom() {
		SendQueue queue = new SendQueue();
		Lane lane = lane(Identity.random());
		DiscardingOutput output = new DiscardingOutput();
		ProducerMachine machine = machine(output, queue, new MemoryBudget(Long.MAX_VALUE / 2), lane);
		for (int i = 0; i < 1_000; i++) {
			queue.add(pending(lane));
		}
		output.room(10);
		machine.work(0);
		fetch(machine, lane, 0, 5);
		for (int turn = 0; turn < 5; turn++) {
			output.room(10);
			machine.work(0);
		}
		assertThat(machine.fetched.sum()).isEqualTo(5);
		assertThat(machine.sent.sum()).isGreaterThan(30);
	}

	@Test
	void repeatedRequestKeepsRestOfAnswer() {
		SendQueue queue = new SendQueue();
		Lane lane = lane(Identity.random());
		DiscardingOutput output = new DiscardingOutput();
		ProducerMachine machine = machine(output, queue, new MemoryBudget(Long.MAX_VALUE / 2), lane);
		for (int i = 0; i < 10; i++) {
			queue.add(pending(lane));
		}
		machine.work(0);
		fetch(machine, lane, 2, 6);
		output.room(4);
		machine.work(0);
		// A consumer repeats the request for its next record, which is on its way.
		fetch(machine, lane, 3, 1);
		output.room(100);
		machine.work(0);
		assertThat(machine.fetched.sum()).isEqualTo(6);
	}

	@Test
	void theQueueGivesWhatManyThreadsAddInTheOrderOfEach() throws InterruptedException {
		SendQueue queue = new SendQueue();
		int each = 20_000;
		List<Lane> lanes = List.of(lane(Identity.random()), lane(Identity.random()), lane(Identity.random()));
		List<Thread> threads = lanes.stream().map((lane) -> new Thread(() -> {
			for (int i = 0; i < each; i++) {
				Pending pending = pending(lane);
				pending.sequence = i;
				queue.add(pending);
			}
		})).toList();
		threads.forEach(Thread::start);
		long[] next = new long[lanes.size()];
		for (int taken = 0; taken < each * lanes.size();) {
			Pending pending = queue.poll();
			if (pending != null) {
				assertThat(pending.sequence).isEqualTo(next[lanes.indexOf(pending.lane)]++);
				taken++;
			}
		}
		assertThat(queue.poll()).isNull();
		for (Thread thread : threads) {
			thread.join();
		}
	}

	@Test
	void theBudgetIsNeverExceededAndARecordLargerThanItPassesAlone() throws InterruptedException {
		MemoryBudget budget = new MemoryBudget(100);
		assertThat(budget.take(500, 0)).isTrue();
		assertThat(budget.take(1, 1_000)).isFalse();
		budget.give(500);
		assertThat(budget.take(60, 0)).isTrue();
		Thread waiting = new Thread(() -> {
			try {
				budget.take(60, Long.MAX_VALUE);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		waiting.start();
		budget.give(60);
		waiting.join();
		assertThat(budget.used()).isEqualTo(60);
	}

	@Test
	void aProducerThatIsHeldUpByContinuationsLooksAgainSoon() {
		MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE / 2);
		SendQueue queue = new SendQueue();
		Lane lane = lane(Identity.random());
		ProducerMachine machine = machine(new DiscardingOutput(), queue, budget, lane);
		CountDownLatch released = new CountDownLatch(1);
		int records = 110_000;
		for (int i = 0; i < records; i++) {
			CompletableFuture<Position> future = new CompletableFuture<>();
			future.thenRun(() -> awaitLatch(released));
			queue.add(new Pending(lane, Bytes.EMPTY, future));
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

	private static ProducerMachine machine(Output output, SendQueue queue, MemoryBudget budget, Lane lane) {
		return new ProducerMachine(lane.key.address(), output, queue, budget, true, Duration.ofSeconds(1).toNanos(),
				new Completions(budget), new Holds(Duration.ofSeconds(10).toNanos()));
	}

	private static void send(Lane lane, SendQueue queue, MemoryBudget budget, ProducerMachine machine)
			throws InterruptedException {
		Pending pending = pending(lane);
		assertThat(budget.take(pending.cost(), 0)).isTrue();
		queue.add(pending);
		machine.work(0);
	}

	private static void fetch(ProducerMachine machine, Lane lane, long sequence, long count) {
		Command fetch = new Command.Fetch(lane.key.address(), Bytes.of("consumer"), lane.key.subject(), sequence,
				count);
		assertThat(machine.received(Encoder.header(fetch), null, 0)).isTrue();
	}

	private static Lane lane(Identity identity) {
		return new Lane(Options.address(identity.address()), Options.topic("t"), identity.counter("t"));
	}

	private static Pending pending(Lane lane) {
		return new Pending(lane, Bytes.EMPTY, new CompletableFuture<>());
	}

}
