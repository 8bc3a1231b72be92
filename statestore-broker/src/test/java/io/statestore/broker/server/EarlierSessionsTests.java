package io.statestore.broker.server;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

/** Directories in which an earlier version kept MQTT sessions. */
@Isolated("captures the log")
class EarlierSessionsTests {

	@Test
	void renamesFolderFromEarlierVersionOnce(@TempDir Path directory) throws Exception {
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withStorage(StorageOptions.in(directory.resolve("store")));
		new StateStoreServer(options).close();
		Path folder = directory.resolve("store/mqtt");
		Files.createDirectories(folder.resolve("journal"));
		Files.writeString(folder.resolve("sessions"), "earlier");
		try (CapturedLog log = new CapturedLog(LocalStore.class.getName(), Level.WARN)) {
			new StateStoreServer(options).close();
			new StateStoreServer(options).close();
			assertThat(log.messages()).singleElement()
				.asString()
				.contains("retained messages are lost", "keys, locks, and replies are kept");
		}
		assertThat(folder).doesNotExist();
		try (Stream<Path> entries = Files.list(directory.resolve("store"))) {
			assertThat(entries.filter((each) -> each.getFileName().toString().startsWith("mqtt-unused-")))
				.singleElement()
				.satisfies((renamed) -> assertThat(renamed.resolve("sessions")).hasContent("earlier"));
		}
	}

}
