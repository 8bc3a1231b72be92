package io.statestore.sample.room;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.statestore.sample.press.PressNames;
import io.statestore.sample.room.Machine.State;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The presses that this control room has started. Each one is connected to each broker by
 * a {@link Cable}. They end with the control room.
 */
@Component
class Presses implements AutoCloseable {

	private final Map<String, PressProcess> processes = new TreeMap<>();

	Presses(RoomProperties properties, Line line, Brokers brokers) {
		Set<String> names = Set.copyOf(properties.presses());
		names.forEach((name) -> PressNames.requireValid(name, "sample.presses"));
		for (String name : names) {
			List<Cable> cables = brokers.ports().stream().map(Cable::new).toList();
			this.processes.put(name, new PressProcess(name, line, cables, command(name, cables)));
			line.processChanged(name, 0, State.ENDED, true);
		}
	}

	/** With several hosts, a press connects to another one by itself: docs/cluster.md. */
	private static List<String> command(String name, List<Cable> cables) {
		String hosts = cables.stream().map((cable) -> "localhost:" + cable.port()).collect(Collectors.joining(","));
		return Programs.sample("128m", List.of("--sample.name=" + name, "--statestore.host=", "--statestore.port=",
				"--statestore.hosts=" + hosts, "--sample.room-pid=" + ProcessHandle.current().pid()));
	}

	/** Starts the presses after the page is available, because their start takes CPU. */
	@EventListener(ApplicationReadyEvent.class)
	void start() {
		this.processes.values().forEach(PressProcess::startUnlessRunning);
	}

	/** Returns the process of a press. */
	PressProcess get(String name) {
		PressProcess process = this.processes.get(name);
		if (process == null) {
			throw new IllegalStateException(name + " was started elsewhere. Control it there");
		}
		return process;
	}

	/** Ends the presses before the broker, which would make them report its end. */
	@Override
	@EventListener(ContextClosedEvent.class)
	public void close() {
		this.processes.values().forEach(PressProcess::close);
	}

}
