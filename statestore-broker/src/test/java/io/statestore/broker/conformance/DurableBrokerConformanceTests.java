package io.statestore.broker.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.storage.StorageOptions;
import org.junit.jupiter.api.io.TempDir;

/** The embedded broker with a directory. */
class DurableBrokerConformanceTests extends EmbeddedBrokerConformanceTests {

	@TempDir
	static Path directory;

	@Override
	StateStoreBrokerBuilder builder() {
		try {
			return StateStoreBroker.builder().storage(StorageOptions.in(Files.createTempDirectory(directory, "store")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
