package io.statestore.broker.artemis.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.storage.StorageOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The folder of MQTT sessions and messages. */
class MqttDirectoryTests {

	@TempDir
	Path directory;

	@Test
	void forcesNamesOfFolderAndFile() throws Exception {
		List<Path> forced = new ArrayList<>();
		MqttDirectory.of(StorageOptions.in(this.directory))
			.openSessions(() -> 0, (path, isFolder) -> forced.add(path))
			.close();
		assertThat(forced).containsExactly(this.directory, this.directory.resolve("mqtt"));
	}

}
