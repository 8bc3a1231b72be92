package io.statestore.history;

import java.nio.file.Path;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.protocol.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryJournalLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(HistoryJournal.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void captureLog() {
		this.logger.setLevel(Level.INFO);
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void leaveLog() {
		this.logger.detachAppender(this.log);
		this.logger.setLevel(null);
	}

	@Test
	void logsDirectoryAndSizeAtStart(@TempDir Path directory) {
		try (HistoryJournal journal = HistoryJournal.builder(directory).topic("ovens").start()) {
			journal.write(List.of(TestChanges.start(1), TestChanges.set(Bytes.of("key"), "v", TestChanges.version(2))));
		}
		HistoryJournal.builder(directory).topic("ovens").start().close();
		assertThat(this.log.list).hasSize(2);
		assertThat(this.log.list.get(0).getFormattedMessage()).contains(directory.toAbsolutePath().toString(),
				"topic ovens", "0 changes so far");
		assertThat(this.log.list.get(1).getFormattedMessage()).contains("2 changes so far");
	}

}
