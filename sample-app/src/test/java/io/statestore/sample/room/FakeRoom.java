package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.statestore.client.StateStoreException;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.sample.room.Machine.State;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The page, over a line without presses and without a broker. Records the buttons. No
 * {@code @Configuration}, which the scan of the sample would find.
 */
@EnableAutoConfiguration(excludeName = { "io.statestore.boot.StateStoreAutoConfiguration" })
@Import({ PageRenderer.class, EventPages.class, EventStream.class, RoomController.class, HistoryController.class,
		RoomGuard.class })
class FakeRoom {

	private static final Scanner INPUT = new Scanner(System.in, StandardCharsets.UTF_8);

	/**
	 * Shows the page at http://localhost:8080 with readings that change. With arguments,
	 * changes the values of 200 keys at a rate, for a time, on a free port.
	 * @param args changes per second, number of changes
	 */
	public static void main(String[] args) throws InterruptedException {
		Object port = (args.length == 0) ? 8080 : 0;
		ConfigurableApplicationContext context = run(Map.of("server.port", port, "server.address", "127.0.0.1"));
		FakeLine line = context.getBean(FakeLine.class);
		fill(line);
		if (args.length == 0) {
			simulate(line);
		}
		System.out.println("port " + context.getEnvironment().getProperty("local.server.port"));
		load(line, Integer.parseInt(args[0]), Integer.parseInt(args[1]));
	}

	static void fill(FakeLine line) {
		for (int i = 0; i < 60; i++) {
			line.machine("press-1", 150 + 4 * Math.sin(i / 7.0), true, State.RUNNING);
			line.machine("press-2", 149 + 3 * Math.cos(i / 9.0), false, State.PAUSED);
		}
		line.machine("press-3", 148.2, false, State.ELSEWHERE);
		line.machine("press-4", 120.2, false, State.ENDED);
		line.leader("press-1", "1795428000123:4:broker", Duration.ofMillis(5120));
		line.setpoint(150);
		line.put("line/press-1", "{\"temperature\":150.2,\"packsPerMinute\":62,\"packs\":431,\"pid\":3111}");
		line.put("line/press-2", "{\"temperature\":149.1,\"packsPerMinute\":61,\"packs\":412,\"pid\":3112}");
		line.put("line/batch",
				"{\"number\":88,\"leader\":\"press-1\",\"token\":\"1795428000123:4:broker\",\"at\":\"2026-11-23T10:15:03Z\"}");
		line.put("line/setpoint", "150.0");
		line.put("line-leader", "press-1/6c7f0a55");
		line.put("\u0000<b>\"quoted\"</b>", "<script>alert(1)</script>");
		line.reject(2,
				new Rejected.Write("press-2", "1795428000007:0", "press-1", "1795428000123:4",
						Instant.parse("2026-11-23T10:15:00Z")),
				"The store refused the batch of press-2: its fencing token (1795428000007:0) is older than that of "
						+ "press-1 (1795428000123:4). press-2 was paused, and did not know that it had lost its lock.");
		line.log(LogEntry.Kind.CHANGE, "The setpoint is 150.0 °C.");
		line.log(LogEntry.Kind.CHANGE, "press-2 is paused for 12 s.");
		line.log(LogEntry.Kind.LEADER, "press-1 leads after 5,120 ms.");
		line.log(LogEntry.Kind.FAILURE, "press-4 has been killed.");
		line.log(LogEntry.Kind.REJECTED, "The store refused the batch of press-2.");
	}

	static ConfigurableApplicationContext run(Map<String, Object> properties) {
		SpringApplication application = new SpringApplication(FakeRoom.class);
		application.setDefaultProperties(properties);
		return application.run("--statestore.embedded.enabled=false", "--statestore.leader.enabled=false",
				"--management.endpoint.health.validate-group-membership=false");
	}

	private static void simulate(FakeLine line) throws InterruptedException {
		for (int i = 0; true; i++) {
			line.machine("press-1", 150 + 4 * Math.sin(i / 7.0) + Math.random(), i % 100 < 50, null);
			line.machine("press-2", 149 + 3 * Math.cos(i / 9.0) + Math.random(), i % 100 >= 50, null);
			line.put("line/press-1", "{\"temperature\":" + i + "}");
			if (i % 3 == 0) {
				line.leader((i % 100 < 50) ? "press-1" : "press-2", "1795428000123:" + i + ":broker",
						Duration.ofMillis(5120));
			}
			Thread.sleep(500);
		}
	}

	/** Starts when a line arrives at the standard input. */
	private static void load(FakeLine line, int rate, int count) throws InterruptedException {
		INPUT.nextLine();
		double cpuAtStart = cpuSeconds();
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			line.put("line/load/" + i % 200, "{\"number\":" + i + ",\"text\":\"a value of usual length\"}");
			long due = start + (i + 1) * 1_000_000_000L / rate;
			Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())).toMillis());
		}
		double cpu = cpuSeconds() - cpuAtStart;
		System.out.printf(Locale.ROOT, "changes %d cpu %.3f seconds %.3f%n", line.changes(), cpu,
				(System.nanoTime() - start) / 1e9);
		INPUT.nextLine();
		System.exit(0);
	}

	private static double cpuSeconds() {
		return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
	}

	/** Returns a history whose calls wait for a broker. */
	static StateHistory unreachable() {
		StateStoreConnection connection = new StateStoreConnection(ConnectionOptions.builder().build());
		return new StateHistory(connection, Duration.ofMinutes(1));
	}

	@Bean
	FakeLine line() {
		return new FakeLine();
	}

	@Bean
	Actions control(FakeLine line) {
		return new Actions(line);
	}

	@Bean
	History history() {
		return new History();
	}

	/** Records the buttons. */
	static class Actions implements LineControl {

		private final List<String> done = new CopyOnWriteArrayList<>();

		private final FakeLine line;

		Actions(FakeLine line) {
			this.line = line;
		}

		private void state(String press, State state) {
			this.line.change(press, (machine) -> new Machine(press, machine.temperature(), machine.packsPerMinute(),
					machine.packs(), machine.leader(), state, machine.connected(), machine.temperatures()));
		}

		List<String> done() {
			return this.done;
		}

		@Override
		public boolean canPause() {
			return true;
		}

		@Override
		public void pause(String press) {
			this.done.add("pause " + press);
			state(press, State.PAUSED);
		}

		@Override
		public void resume(String press) {
			this.done.add("resume " + press);
			state(press, State.RUNNING);
		}

		@Override
		public void kill(String press) {
			this.done.add("kill " + press);
		}

		@Override
		public void start(String press) {
			throw new IllegalStateException("'" + press + "' is running already");
		}

		@Override
		public void cut(String press) {
			this.done.add("cut " + press);
		}

		@Override
		public void resign() {
			throw new StateStoreException("The store is unavailable");
		}

		@Override
		public void killBroker(String broker) {
			this.done.add("kill " + broker);
		}

		@Override
		public void startBroker(String broker) {
			this.done.add("start " + broker);
		}

		@Override
		public void restartBroker() {
			this.done.add("restart");
		}

		@Override
		public void deleteKey(String key) {
			this.done.add("delete " + key);
			this.line.remove(key);
		}

		@Override
		public void changeSetpoint(double degrees) {
			if (degrees > MAX_SETPOINT) {
				throw new IllegalArgumentException("The setpoint must be at most 200 °C");
			}
			this.done.add("setpoint " + degrees);
			this.line.setpoint(degrees);
		}

	}

	/** A history of 100 changes. */
	static class History extends LineHistory {

		History() {
			super(unreachable());
		}

		@Override
		List<String> keys() {
			return List.of("line/batch", "line/deleted", "line/<i>");
		}

		@Override
		Changes changes(String key) {
			return new Changes(key.equals("line/deleted") ? 1234 : 100,
					IntStream.range(0, 100).mapToObj((i) -> change(key, i)).toList());
		}

		private static Change change(String key, int i) {
			Instant at = Instant.parse("2026-11-23T09:00:00Z").plusMillis(i * 7919L + (i * i % 97) * 100);
			String author = (i % 40 < 17) ? "press-1" : "press-2";
			return new Change((i % 33 == 32) ? null : key + ' ' + i, (i == 65) ? null : author, at,
					at.toEpochMilli() + ":0:broker");
		}

		@Override
		List<StoredKey> storeAt(String version) {
			List<StoredKey> keys = new ArrayList<>();
			keys.add(new StoredKey("line/batch", "at " + version, version, 0));
			keys.add(new StoredKey("line/setpoint", "149.0", version, 0));
			return keys;
		}

	}

}
