package io.statestore.broker.security;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.statestore.test.CapturedLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/** Tests for {@link WatchedFile}. */
@Isolated("captures the log")
class WatchedFileTests {

	@TempDir
	private Path directory;

	private Path file;

	private final AtomicInteger parsed = new AtomicInteger();

	/** Failure that the parser throws, {@code null} for none. */
	private volatile @Nullable Throwable failure;

	@BeforeEach
	void writeFile() throws IOException {
		this.file = this.directory.resolve("users");
		write("first");
	}

	@Test
	void readsChangedFileOnceComplete() throws IOException {
		WatchedFile<String> watched = watched();
		write("second");
		assertThat(watched.current()).isEqualTo("first");
		assertThat(checked(watched)).isEqualTo("second");
	}

	@Test
	void parsesUnchangedFileOnce() {
		WatchedFile<String> watched = watched();
		for (int i = 0; i < 5; i++) {
			checked(watched);
		}
		assertThat(this.parsed).hasValue(1);
	}

	@Test
	void noticesReplacementWithSameSizeAndTime() throws IOException {
		WatchedFile<String> watched = watched();
		FileTime modified = Files.getLastModifiedTime(this.file);
		Path replacement = Files.writeString(this.directory.resolve("new"), "other");
		Files.setLastModifiedTime(replacement, modified);
		Files.move(replacement, this.file, StandardCopyOption.REPLACE_EXISTING);
		assertThat(checked(watched)).isEqualTo("other");
	}

	@Test
	void waitsUntilFileIsComplete() throws IOException {
		WatchedFile<String> watched = watched();
		for (String content : List.of("", "s", "sec", "second")) {
			write(content);
			watched.check();
			assertThat(watched.current()).isEqualTo("first");
		}
		watched.check();
		assertThat(watched.current()).isEqualTo("second");
	}

	@Test
	void keepsContentWhileFileIsInvalidAndReportsOnce() throws IOException {
		WatchedFile<String> watched = watched();
		write("invalid");
		try (CapturedLog log = new CapturedLog(WatchedFile.class, Level.WARN)) {
			for (int i = 0; i < 3; i++) {
				assertThat(checked(watched)).isEqualTo("first");
				Files.setLastModifiedTime(this.file, FileTime.from(Instant.ofEpochSecond(1000 + i)));
			}
			assertThat(log.messages()).containsExactly("Cannot use " + this.file
					+ ": line 1: 'invalid' is not a user. The previous content remains in use until the file is corrected");
		}
		write("third");
		assertThat(checked(watched)).isEqualTo("third");
	}

	@Test
	void retriesUnreadableFile() throws IOException {
		WatchedFile<String> watched = watched();
		write("second");
		this.failure = new IOException("no permission");
		try (CapturedLog log = new CapturedLog(WatchedFile.class, Level.WARN)) {
			for (int i = 0; i < 3; i++) {
				assertThat(checked(watched)).isEqualTo("first");
			}
			assertThat(log.messages()).singleElement().asString().contains("no permission");
		}
		this.failure = null;
		assertThat(checked(watched)).isEqualTo("second");
	}

	@Test
	void watchesAfterError() throws Exception {
		BlockingQueue<String> contents = new LinkedBlockingQueue<>();
		WatchedFile<String> watched = WatchedFile.of(List.of(this.file), this::parse,
				(before, content) -> contents.add(content));
		this.failure = new StackOverflowError("as the test wants");
		write("second");
		FileChecks.run();
		assertThat(this.parsed).hasValueGreaterThan(1);
		this.failure = null;
		write("third, longer");
		FileChecks.run();
		assertThat(contents).containsExactly("third, longer");
		assertThat(watched.current()).isEqualTo("third, longer");
	}

	@Test
	void keepsContentOfDeletedFile() throws IOException {
		WatchedFile<String> watched = watched();
		Files.delete(this.file);
		try (CapturedLog log = new CapturedLog(WatchedFile.class, Level.WARN)) {
			assertThat(checked(watched)).isEqualTo("first");
			assertThat(log.messages()).singleElement().asString().contains(this.file + " does not exist");
		}
		write("first");
		assertThat(checked(watched)).isEqualTo("first");
	}

	@Test
	void followsReplacedSymbolicLink() throws IOException {
		Path link = this.directory.resolve("link");
		Files.createSymbolicLink(link, this.file);
		WatchedFile<String> watched = WatchedFile.once(List.of(link), this::parse);
		Path other = Files.writeString(this.directory.resolve("other"), "other");
		Path newLink = Files.createSymbolicLink(this.directory.resolve("newLink"), other);
		Files.move(newLink, link, StandardCopyOption.REPLACE_EXISTING);
		assertThat(checked(watched)).isEqualTo("other");
	}

	@Test
	void parsesRelatedFilesTogether() throws IOException {
		Path second = Files.writeString(this.directory.resolve("key"), "key");
		WatchedFile<String> watched = WatchedFile.once(List.of(this.file, second),
				(contents) -> text(contents.get(0)) + '+' + text(contents.get(1)));
		assertThat(watched.current()).isEqualTo("first+key");
		Files.writeString(second, "other key");
		assertThat(checked(watched)).isEqualTo("first+other key");
	}

	@Test
	void notifiesOnlyAboutValidContent() throws Exception {
		BlockingQueue<String> contents = new LinkedBlockingQueue<>();
		WatchedFile<String> watched = WatchedFile.of(List.of(this.file), this::parse, (before, content) -> {
			contents.add(before + " to " + content);
			throw new IllegalStateException("listener fails");
		});
		write("invalid");
		await().until(() -> this.parsed.get() >= 2);
		write("second");
		assertThat(contents.poll(20, TimeUnit.SECONDS)).isEqualTo("first to second");
		write("third");
		assertThat(contents.poll(20, TimeUnit.SECONDS)).isEqualTo("second to third");
		assertThat(watched.current()).isEqualTo("third");
	}

	@Test
	void stopsWatchingWhenUnreachable() throws Exception {
		WeakReference<WatchedFile<String>> reference = new WeakReference<>(
				WatchedFile.of(List.of(this.file), this::parse, (before, content) -> {
				}));
		await().until(() -> {
			System.gc();
			return reference.get() == null;
		});
	}

	@Test
	void refusesMissingInvalidAndSpecialFiles() throws IOException {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> WatchedFile.once(List.of(this.directory.resolve("none")), (contents) -> ""))
			.withMessageContaining("none does not exist");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> WatchedFile.once(List.of(this.directory), (contents) -> ""))
			.withMessageContaining("is not a regular file");
		write("invalid");
		assertThatIllegalArgumentException().isThrownBy(this::watched)
			.withMessage("Cannot use " + this.file + ": line 1: 'invalid' is not a user");
		Files.write(this.file, new byte[WatchedFile.MAX_SIZE + 1]);
		assertThatIllegalArgumentException().isThrownBy(this::watched).withMessageContaining("larger than");
	}

	private WatchedFile<String> watched() {
		return WatchedFile.once(List.of(this.file), this::parse);
	}

	private String parse(List<byte[]> contents) throws IOException {
		this.parsed.incrementAndGet();
		Throwable failure = this.failure;
		if (failure instanceof IOException temporary) {
			throw temporary;
		}
		if (failure instanceof Error error) {
			throw error;
		}
		String text = text(contents.get(0));
		if (text.equals("invalid")) {
			throw new IllegalArgumentException("line 1: 'invalid' is not a user");
		}
		return text;
	}

	private static String text(byte[] content) {
		return new String(content, StandardCharsets.UTF_8);
	}

	private void write(String content) throws IOException {
		Files.writeString(this.file, content);
	}

	/** Returns the content after enough checks for a complete file. */
	private String checked(WatchedFile<String> watched) {
		watched.check();
		watched.check();
		return watched.current();
	}

}
