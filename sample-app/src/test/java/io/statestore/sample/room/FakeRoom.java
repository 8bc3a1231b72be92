package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.sample.room.RoomProperties.Broker;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * The page with a line without presses and without a broker. Records button clicks. Not a
 * {@code @Configuration}, which the sample's component scan would find.
 */
@EnableAutoConfiguration(excludeName = { "io.statestore.boot.StateStoreAutoConfiguration" })
@Import({ RoomController.class, RoomGuard.class })
class FakeRoom {

	/** Required by constructors, but not used. */
	private static final StateStoreTemplate STORE = new StateStoreTemplate(
			(command, options) -> new CompletableFuture<>());

	private static final Scanner INPUT = new Scanner(System.in, StandardCharsets.UTF_8);

	/**
	 * Shows the page at http://localhost:8080 with readings that change. With arguments,
	 * instead changes the values of 200 keys at a given rate, on a free port.
	 * @param args changes per second and number of changes
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
		line.leader("press-1");
		for (int i = 0; i < 60; i++) {
			line.machine("press-1", 150 + 4 * Math.sin(i / 7.0), Machine.RUNNING);
			line.machine("press-2", 149 + 3 * Math.cos(i / 9.0), Machine.PAUSED);
		}
		line.machine("press-3", 148.2, Machine.ELSEWHERE);
		line.machine("press-4", 120.2, Machine.ENDED);
		line.put("line/setpoint", "150.0");
		line.put("line/batch",
				"{\"number\":88,\"leader\":\"press-1\",\"token\":\"9995428000123:4:broker\",\"at\":\"2026-11-23T10:15:03Z\"}");
		line.put("\u0000<b>\"quoted\"</b>", "<script>alert(1)</script>");
		line.reject(2);
		line.log(Line.FAILURE, "press-4 was killed.");
	}

	static ConfigurableApplicationContext run(Map<String, Object> properties) {
		SpringApplication application = new SpringApplication(FakeRoom.class);
		application.setDefaultProperties(properties);
		return application.run("--statestore.embedded.enabled=false", "--statestore.leader.enabled=false",
				"--management.endpoint.health.validate-group-membership=false");
	}

	private static void simulate(FakeLine line) throws InterruptedException {
		for (int i = 0; true; i++) {
			line.machine("press-1", 150 + 4 * Math.sin(i / 7.0) + Math.random(), Machine.RUNNING);
			line.machine("press-2", 149 + 3 * Math.cos(i / 9.0) + Math.random(), Machine.RUNNING);
			if (i % 3 == 0) {
				line.leader((i % 100 < 50) ? "press-1" : "press-2");
			}
			Thread.sleep(500);
		}
	}

	/** Changes keys, starting when a line arrives on standard input. */
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

	@Bean
	RoomProperties properties() {
		return new RoomProperties(Path.of("target"), Broker.EMBEDDED, 1, List.of(), Duration.ofSeconds(12),
				Duration.ofSeconds(10));
	}

	@Bean
	FakeLine line(RoomProperties properties) {
		return new FakeLine(properties);
	}

	@Bean
	FakeBrokers brokers(RoomProperties properties, FakeLine line, ObjectProvider<Actions> actions) {
		return new FakeBrokers(properties, line, actions);
	}

	@Bean
	FakePresses presses(RoomProperties properties, FakeLine line, Brokers brokers, Actions actions) {
		return new FakePresses(properties, line, brokers, actions);
	}

	@Bean
	Actions actions(FakeLine line, Brokers brokers) {
		return new Actions(line, brokers);
	}

	@Bean
	LineBroker broker(RoomProperties properties, FakeLine line, Brokers brokers, Actions actions) {
		return new LineBroker(properties, "localhost", 1883, line, brokers) {

			@Override
			public void start() {
			}

			@Override
			void restart() {
				actions.done().add("restart");
			}

		};
	}

	/** Brokers without processes. */
	static class FakeBrokers extends Brokers {

		private volatile List<Brokers.State> states = List.of();

		private final FakeLine line;

		private final ObjectProvider<Actions> actions;

		FakeBrokers(RoomProperties properties, FakeLine line, ObjectProvider<Actions> actions) {
			super(properties, line, 1883);
			this.line = line;
			this.actions = actions;
		}

		void states(List<Brokers.State> value) {
			this.states = value;
		}

		@Override
		List<Brokers.State> states() {
			return this.states;
		}

		@Override
		ChildProcess get(String name) {
			return new FakeProcess(name, this.line, this.actions.getObject());
		}

	}

	/** Presses without processes. */
	static class FakePresses extends Presses {

		private final FakeLine line;

		private final Actions actions;

		FakePresses(RoomProperties properties, FakeLine line, Brokers brokers, Actions actions) {
			super(properties, line, brokers);
			this.line = line;
			this.actions = actions;
		}

		@Override
		List<Machine> machines() {
			return super.machines().stream()
				.map((machine) -> new Machine(machine.name(), machine.reading(), machine.leader(),
						this.line.state(machine.name()), true, machine.temperatures(), true))
				.toList();
		}

		@Override
		ChildProcess get(String name) {
			return new FakeProcess(name, this.line, this.actions);
		}

		@Override
		void pause(String name) {
			this.actions.done().add("pause " + name);
			this.line.state(name, Machine.PAUSED);
		}

		@Override
		void cut(String name) {
			this.actions.done().add("cut " + name);
		}

	}

	/** A process that does not exist. */
	static class FakeProcess extends ChildProcess {

		private final String name;

		private final FakeLine line;

		private final Actions actions;

		FakeProcess(String name, FakeLine line, Actions actions) {
			super(name, line, () -> {
				throw new UnsupportedOperationException();
			});
			this.name = name;
			this.line = line;
			this.actions = actions;
		}

		@Override
		void start() {
			if (this.name.startsWith("press")) {
				throw new IllegalStateException("'" + this.name + "' is running already");
			}
			this.actions.done().add("start " + this.name);
		}

		@Override
		void kill() {
			this.actions.done().add("kill " + this.name);
		}

		@Override
		void resume() {
			this.actions.done().add("resume " + this.name);
			this.line.state(this.name, Machine.RUNNING);
		}

	}

	/** Records button clicks. */
	static class Actions extends LineActions {

		private final List<String> done = new CopyOnWriteArrayList<>();

		private final FakeLine line;

		Actions(FakeLine line, Brokers brokers) {
			super(line, brokers, STORE, new StateStoreLockRegistry(STORE));
			this.line = line;
		}

		List<String> done() {
			return this.done;
		}

		@Override
		void resign() {
			throw new StateStoreException("The store is unavailable");
		}

		@Override
		void killBroker(String broker) {
			this.done.add("kill " + broker);
		}

		@Override
		void changeSetpoint(double degrees) {
			if (degrees > MAX_SETPOINT) {
				throw new IllegalArgumentException("The setpoint must be at most 200 °C");
			}
			this.done.add("setpoint " + degrees);
			this.line.put("line/setpoint", String.valueOf(degrees));
		}

	}

}
