package io.statestore.sample.room;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.statestore.sample.press.PressNames;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The presses started by this control room. Each press is connected to each broker by a
 * {@link Cable}. The presses end with the control room.
 */
@Component
class Presses implements AutoCloseable {

	private final Map<String, Press> presses = new TreeMap<>();

	private final RoomProperties properties;

	private final Line line;

	Presses(RoomProperties properties, Line line, Brokers brokers) {
		this.properties = properties;
		this.line = line;
		for (String name : properties.presses()) {
			PressNames.requireValid(name, "sample.presses");
			List<Cable> cables = brokers.ports().stream().map(Cable::new).toList();
			// With several hosts, a press connects to another host on its own.
			String hosts = cables.stream().map((cable) -> "localhost:" + cable.port()).collect(Collectors.joining(","));
			List<String> arguments = List.of("--sample.name=" + name, "--statestore.host=", "--statestore.port=",
					"--statestore.hosts=" + hosts);
			this.presses.put(name, new Press(cables,
					new ChildProcess(name, line, () -> ChildProcess.sample(name, "128m", Map.of(), arguments))));
		}
	}

	/**
	 * Starts the presses. Called once the page is available, because starting them is
	 * CPU-intensive.
	 */
	@EventListener(ApplicationReadyEvent.class)
	void start() {
		this.presses.values()
			.stream()
			.map(Press::process)
			.filter((process) -> !process.isRunning())
			.forEach(ChildProcess::start);
	}

	ChildProcess get(String name) {
		return press(name).process();
	}

	private Press press(String name) {
		Press press = this.presses.get(name);
		if (press == null) {
			throw new IllegalStateException(name + " was started elsewhere. Control it there");
		}
		return press;
	}

	/**
	 * Pauses a press for {@code sample.pause}. If it leads, first waits until it packs,
	 * so that it writes when it continues.
	 */
	void pause(String name) {
		ChildProcess process = get(name);
		process.requirePausable();
		if (name.equals(this.line.leadership().leader())) {
			this.line.awaitPacking();
		}
		process.pause(this.properties.pause());
	}

	/** Unplugs the cables of a press for {@code sample.cut}. */
	void cut(String name) {
		Press press = press(name);
		if (!press.isPlugged()) {
			throw new IllegalStateException(name + " is disconnected already");
		}
		press.cables().forEach((cable) -> cable.plug(false));
		this.line.trouble(Line.FAILURE, name, "was disconnected");
		CompletableFuture.delayedExecutor(this.properties.cut().toMillis(), TimeUnit.MILLISECONDS).execute(() -> {
			press.cables().forEach((cable) -> cable.plug(true));
			if (press.process().isRunning()) {
				this.line.log(Line.CHANGE, name + " can connect again.");
			}
		});
	}

	/**
	 * Returns all presses in the order of their names, including those started elsewhere.
	 */
	List<Machine> machines() {
		Map<String, JsonNode> readings = new TreeMap<>(this.line.readings());
		this.presses.keySet().forEach((name) -> readings.putIfAbsent(name, Line.json(null)));
		return readings.entrySet().stream().map((reading) -> machine(reading.getKey(), reading.getValue())).toList();
	}

	private Machine machine(String name, JsonNode reading) {
		Press press = this.presses.get(name);
		return new Machine(name, reading, name.equals(this.line.leadership().leader()),
				state(press, reading.path("pid").asLong(0)), press == null || press.isPlugged(),
				this.line.temperatures(name), ChildProcess.canPause());
	}

	/**
	 * Returns a press's state. A reading may be from the previous process, because the
	 * store keeps it for a while.
	 */
	private static String state(@Nullable Press press, long pid) {
		if (press == null) {
			return Machine.ELSEWHERE;
		}
		ChildProcess process = press.process();
		if (!process.isRunning()) {
			return Machine.ENDED;
		}
		return process.isPaused() ? Machine.PAUSED : (process.pid() == pid) ? Machine.RUNNING : Machine.SILENT;
	}

	/**
	 * Ends the presses. Called before the broker ends, because the presses would report
	 * that.
	 */
	@Override
	@EventListener(ContextClosedEvent.class)
	public void close() {
		this.presses.values().forEach((press) -> {
			press.cables().forEach(Cable::close);
			press.process().close();
		});
	}

	private record Press(List<Cable> cables, ChildProcess process) {

		private boolean isPlugged() {
			return this.cables.stream().allMatch(Cable::isPlugged);
		}

	}

}
