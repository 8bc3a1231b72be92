package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

import io.statestore.client.history.StateHistory;
import io.statestore.protocol.StoredChange;
import io.statestore.sample.Ports;
import io.statestore.test.RequiresProgram;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The control room with Mosquitto and the gateway. */
@Tag("long")
@Timeout(120)
@RequiresProgram("mosquitto")
class MosquittoRoomTests {

	@Test
	void storeAndHistorySurviveMosquittoAndGatewayRestart(@TempDir Path directory) {
		try (ConfigurableApplicationContext room = ControlRoomTests.run(Ports.free(), directory,
				"--sample.broker=mosquitto", "--sample.presses=press-1")) {
			Line line = room.getBean(Line.class);
			LineActions control = room.getBean(LineActions.class);
			await(() -> line.leadership().leader() != null);
			control.changeSetpoint(140);
			await(() -> Double.valueOf(140).equals(line.setpoint()));
			room.getBean(LineBroker.class).restart();
			await(() -> !line.isAvailable());
			await(line::isAvailable);
			long changes = line.changes();
			await(() -> line.changes() > changes + 5);
			assertThat(line.setpoint()).isEqualTo(140);
			assertThat(room.getBean(StateHistory.class).changes(Line.SETPOINT)).last()
				.extracting((change) -> change.value().toUtf8(), StoredChange::author)
				.containsExactly("140.0", "control-room");
		}
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
	}

}
