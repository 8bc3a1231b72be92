package io.statestore.sample.room;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The control room with Mosquitto and the gateway. */
@Tag("long")
@Timeout(120)
class MosquittoRoomTests {

	@Test
	void storeSurvivesRestartOfMosquittoAndGateway(@TempDir Path directory) throws IOException {
		assumeTrue(isInstalled(), "skipped: no mosquitto on the PATH; install Debian's 'mosquitto'");
		try (ConfigurableApplicationContext room = ControlRoomTests.run(LineBrokerTests.freePort(), directory,
				"--sample.broker=mosquitto", "--sample.presses=press-1")) {
			Line line = room.getBean(Line.class);
			LineControl control = room.getBean(LineControl.class);
			assertThat(line.brokerName()).startsWith("Mosquitto with gateway, port ");
			assertThat(room.getBean(LineHistory.class).isAvailable()).isFalse();
			Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> line.leadership().leader() != null);
			control.changeSetPoint(140);
			Awaitility.await().until(() -> Double.valueOf(140).equals(line.setPoint()));
			control.restartBroker();
			Awaitility.await().until(() -> !line.isBrokerAvailable());
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(line::isBrokerAvailable);
			long changes = line.changes();
			Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> line.changes() > changes + 5);
			assertThat(line.setPoint()).isEqualTo(140);
		}
	}

	private static boolean isInstalled() {
		return Stream.concat(Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, "mosquitto")));
	}

}
