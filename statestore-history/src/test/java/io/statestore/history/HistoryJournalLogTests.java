package io.statestore.history;

import java.nio.file.Path;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.statestore.protocol.Bytes;
import io.statestore.test.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class HistoryJournalLogTests {

	private final CapturedLog log = new CapturedLog(HistoryJournal.class, Level.INFO);

	@AfterEach
	void close() {
		this.log.close();
	}

	@Test
	void logsDirectoryAndSizeAtStart(@TempDir Path directory) {
		try (HistoryJournal journal = HistoryJournal.builder(directory).topic("ovens").start()) {
			journal.write(List.of(TestChanges.start(1), TestChanges.set(Bytes.of("key"), "v", TestChanges.version(2))));
		}
		HistoryJournal.builder(directory).topic("ovens").start().close();
		assertThat(this.log.messages()).hasSize(2);
		assertThat(this.log.messages().get(0)).contains(directory.toAbsolutePath().toString(), "topic ovens",
				"0 changes so far");
		assertThat(this.log.messages().get(1)).contains("2 changes so far");
	}

}
