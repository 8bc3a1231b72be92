package io.statestore.dafka.loss;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.statestore.dafka.loss.LossSettings.Role;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Producers, stores, and consumers in separate processes that are killed, restarted,
 * paused, and disconnected, with little room in all sockets. Each acknowledged record
 * must reach each consumer that reads from the beginning, once, in order, and unmodified.
 * The run is short by default and complete with {@code -Dsoak=full}. {@code -Dloss.seed}
 * repeats the failures of a run as far as separate processes permit.
 */
@Tag("long")
@Timeout(600)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs a second loopback address, and signals")
@Tag("nightly")
class DafkaLossTests {

	private static final boolean FULL = "full".equals(System.getProperty("soak"));

	private static final int RECORDS = FULL ? 200_000 : 4_000;

	private static final int RATE = FULL ? 2_200 : 220;

	/** Maximum duration of a failure. */
	private static final int AWAY_MILLIS = FULL ? 3_000 : 800;

	private static final int PRODUCERS = 3;

	private static final Duration PATIENCE = Duration.ofMinutes(FULL ? 3 : 1);

	private final long seed = Long.getLong("loss.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final Map<String, Integer> troubles = new TreeMap<>();

	private final List<FaultProxy> networks = new ArrayList<>();

	private final List<LossProcess> producers = new ArrayList<>();

	private final List<LossProcess> stores = new ArrayList<>();

	/** Consumers: one is never killed, one is killed, and one starts late. */
	private final List<LossProcess> consumers = new ArrayList<>();

	private final int[] tower = { freePort(), freePort() };

	@TempDir
	private Path directory;

	private LossProcess towerProcess;

	@AfterEach
	void close() {
		for (List<LossProcess> processes : List.of(this.producers, this.stores, this.consumers)) {
			processes.forEach(LossProcess::close);
		}
		if (this.towerProcess != null) {
			this.towerProcess.close();
		}
		this.networks.forEach(FaultProxy::close);
	}

	@Test
	void everyAcknowledgedRecordReachesEveryConsumerOnceAndInOrder() throws Exception {
		System.out.println("Loss test, -Dloss.seed=" + this.seed);
		long begin = System.nanoTime();
		start();
		makeTrouble();
		System.out.println("Troubles end after " + seconds(begin) + " s: " + this.troubles);
		await("acknowledgment of all records").atMost(PATIENCE).until(this::isDone);
		this.consumers.forEach(LossProcess::awaitReady);
		LossLedger ledger = new LossLedger();
		for (int i = 0; i < PRODUCERS; i++) {
			ledger.acknowledged(i, file("acknowledged-producer-" + i));
			assertThat(ledger.count(i)).isEqualTo(RECORDS);
		}
		try {
			awaitDeliveries(ledger);
		}
		finally {
			// The processes report their state.
			for (LossProcess process : all()) {
				assertThat(process.stop()).as(process.settings().name()).isZero();
			}
		}
		System.out.println(
				"Acknowledged: " + PRODUCERS * RECORDS + ". Everything is delivered after " + seconds(begin) + " s");
		for (LossProcess consumer : this.consumers) {
			String name = consumer.settings().name();
			List<Path> lives = IntStream.rangeClosed(0, consumer.settings().life())
				.mapToObj((life) -> file("delivered-" + life + '-' + name))
				.toList();
			LossLedger.Summary summary = ledger.delivered(name, lives);
			System.out.println(name + ", processes: " + lives.size() + ", " + summary);
			assertThat(lives.size() > 1 || summary.again() == 0).as("once").isTrue();
		}
		assertThat(ledger.mistakes()).isEmpty();
	}

	private void start() throws IOException {
		this.towerProcess = new LossProcess(settings(Role.TOWER, 0, false)).awaitReady();
		for (int i = 0; i < 2; i++) {
			this.stores.add(new LossProcess(settings(Role.STORE, i, i == 0)));
			this.consumers.add(new LossProcess(settings(Role.CONSUMER, i, i == 1)));
		}
		for (int i = 0; i < PRODUCERS; i++) {
			Path identity = Files.createDirectories(file("identity-producer-" + i));
			Files.writeString(identity.resolve("address"), LossSettings.address(i));
			this.producers.add(new LossProcess(settings(Role.PRODUCER, i, i == 0)));
		}
		all().forEach(LossProcess::awaitReady);
	}

	private LossSettings settings(Role role, int index, boolean behindProxy) {
		int port = 0;
		if (behindProxy) {
			this.networks.add(FaultProxy.withPortOfServer(LossSettings.PROXY_HOST, "127.0.0.1"));
			port = this.networks.get(this.networks.size() - 1).port();
		}
		return new LossSettings(role, index, 0, this.directory, this.tower[0], this.tower[1], port,
				10 + this.random.nextInt(91), RECORDS, RATE, index == 1);
	}

	private List<LossProcess> all() {
		List<LossProcess> all = new ArrayList<>();
		List.of(List.of(this.towerProcess), this.producers, this.stores, this.consumers).forEach(all::addAll);
		return all;
	}

	private void makeTrouble() throws IOException {
		List<Runnable> kinds = new ArrayList<>(
				List.of(() -> kill(this.producers), () -> kill(this.stores), this::killBothStores, this::killConsumer,
						this::killTower, this::pause, this::swallow, this::swallow, this::swallowForEver, this::cut));
		boolean done = false;
		for (int round = 0; !done; round++) {
			Collections.shuffle(kinds, this.random);
			kinds.forEach((trouble) -> {
				trouble.run();
				sleep(this.random.nextInt(500));
			});
			if (round == 0) {
				Files.createFile(this.towerProcess.settings().firstTroublesEnded());
				this.consumers.add(new LossProcess(settings(Role.CONSUMER, 2, false)));
			}
			done = !FULL || isDone();
		}
	}

	private boolean isDone() {
		return this.producers.stream().allMatch((producer) -> producer.has("DONE"));
	}

	private void count(String trouble) {
		this.troubles.merge(trouble, 1, Integer::sum);
	}

	private <T> T any(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	private void away() {
		sleep(this.random.nextInt(AWAY_MILLIS));
	}

	private static void sleep(int millis) {
		LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
	}

	private void kill(List<LossProcess> processes) {
		LossProcess process = any(processes);
		process.kill();
		count("kills of a " + process.settings().role());
		away();
		restart(processes, process);
	}

	private static LossProcess restart(List<LossProcess> processes, LossProcess process) {
		LossProcess next = process.restart();
		processes.set(processes.indexOf(process), next);
		return next.awaitReady();
	}

	private void killBothStores() {
		this.stores.forEach(LossProcess::kill);
		count("kills of all stores");
		away();
		List<LossProcess> dead = new ArrayList<>(this.stores);
		Collections.shuffle(dead, this.random);
		for (LossProcess store : dead) {
			restart(this.stores, store);
			away();
		}
	}

	private void killConsumer() {
		LossProcess consumer = this.consumers.get(1);
		consumer.kill();
		// The consumer may have received more than it has reported.
		for (Entry entry : Entry.read(file("delivered-" + consumer.settings().life() + "-consumer-1"))) {
			consumer.reached(entry.sample().producer(), entry.offset() + entry.count());
		}
		count("kills of a " + Role.CONSUMER);
		away();
		restart(this.consumers, consumer);
	}

	private void killTower() {
		this.towerProcess.kill();
		count("kills of the " + Role.TOWER);
		away();
		this.towerProcess = this.towerProcess.restart().awaitReady();
	}

	private void pause() {
		List<LossProcess> processes = all();
		LossProcess process = any(processes);
		process.pause();
		count("pauses");
		away();
		process.resume();
	}

	private void swallow() {
		FaultProxy network = any(this.networks);
		network.discard();
		count("partitions");
		away();
		network.heal();
	}

	private void swallowForEver() {
		FaultProxy network = any(this.networks);
		network.discard();
		count("connections that die without a word");
		away();
		network.healNewConnections();
	}

	private void cut() {
		any(this.networks).cut();
		count("cuts");
	}

	private void awaitDeliveries(LossLedger ledger) {
		for (LossProcess consumer : this.consumers) {
			for (int i = 0; i < PRODUCERS; i++) {
				int producer = i;
				await(consumer.settings().name() + " has all of producer " + i + " to " + ledger.last(i))
					.atMost(PATIENCE)
					.until(() -> consumer.next(producer) > ledger.last(producer));
			}
		}
	}

	private Path file(String name) {
		return this.directory.resolve(name);
	}

	private static long seconds(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin).toSeconds();
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
