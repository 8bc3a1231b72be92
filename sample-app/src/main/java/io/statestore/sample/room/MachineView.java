package io.statestore.sample.room;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

import io.statestore.sample.room.Machine.State;

import org.springframework.web.util.UriUtils;

/**
 * Tile of a press.
 *
 * @param id identifier of its element
 * @param head name and state
 * @param readings readings with their chart
 * @param buttons buttons, which are replaced only when they change
 */
record MachineView(String id, Head head, Readings readings, Buttons buttons) {

	static MachineView of(Machine machine, boolean canPause) {
		String id = ReadableText.id("m", machine.name());
		String name = ReadableText.key(machine.name());
		return new MachineView(id, new Head(id, name, machine.leader(), machine.state(), machine.connected()),
				new Readings(id, Chart.number(machine.temperature()),
						String.format(Locale.ROOT, "%.0f", machine.packsPerMinute()),
						String.format(Locale.ROOT, "%,d", machine.packs()), Chart.of(name, machine.temperatures())),
				new Buttons(id, name, "/presses/" + UriUtils.encodePathSegment(machine.name(), StandardCharsets.UTF_8),
						machine.state(), machine.connected(), canPause));
	}

	static List<MachineView> of(List<Machine> machines, boolean canPause) {
		return machines.stream().map((machine) -> of(machine, canPause)).toList();
	}

	/** Name and state of a press. */
	record Head(String id, String name, boolean leader, State state, boolean connected) {

		public String word() {
			return switch (this.state) {
				case RUNNING -> "Running";
				case SILENT -> "Silent";
				case PAUSED -> "Paused";
				case ENDED -> "Ended";
				case ELSEWHERE -> "Started elsewhere";
			};
		}

		public String style() {
			return this.state.name().toLowerCase(Locale.ROOT);
		}

	}

	/** Readings of a press. */
	record Readings(String id, String temperature, String speed, String packs, Chart chart) {
	}

	/** Buttons of a press. */
	record Buttons(String id, String name, String path, State state, boolean connected, boolean canPause) {

		public boolean own() {
			return this.state != State.ELSEWHERE;
		}

		public boolean ended() {
			return this.state == State.ENDED;
		}

		public boolean paused() {
			return this.state == State.PAUSED;
		}

	}

}
