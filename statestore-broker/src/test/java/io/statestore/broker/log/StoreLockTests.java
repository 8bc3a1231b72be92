package io.statestore.broker.log;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.statestore.broker.storage.Fsync;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** {@link StoreLock} between processes and between class loaders in one process. */
@Isolated("changes system properties")
class StoreLockTests {

	@TempDir
	private Path directory;

	@Test
	void refusedOpenInOtherClassLoaderKeepsLock() throws Exception {
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			assertThat(openInOtherClassLoader()).contains("is in use by this process");
			assertLocked();
		}
		assertThat(openInOtherClassLoader()).isEqualTo("opened");
	}

	/**
	 * The lock's system property is missing, as if another library had removed it.
	 */
	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "has no /proc")
	void refusedOpenKeepsLockDuringGarbageCollection() throws IOException {
		String property = StoreLock.KEY_PREFIX + this.directory.toRealPath();
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			System.clearProperty(property);
			assertThat(Opener.open(this.directory.toString())).contains("is in use by this process");
			collectGarbage();
			assertLocked();
		}
		assertThat(Opener.open(this.directory.toString())).isEqualTo("opened");
	}

	private void assertLocked() {
		try (JavaProcess process = JavaProcess.of(Opener.class).arguments(this.directory).start()) {
			process.await("is in use by process " + ProcessHandle.current().pid());
		}
	}

	/** Waits until an unreachable channel has been closed. */
	private void collectGarbage() throws IOException {
		Path file = Files.createTempFile(this.directory, "garbage", null);
		FileChannel.open(file).position(0);
		Awaitility.await().until(() -> {
			System.gc();
			return descriptors(file) == 0;
		});
	}

	/** Returns how often a file is open in this process. */
	private static int descriptors(Path file) throws IOException {
		int count = 0;
		try (DirectoryStream<Path> links = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
			for (Path link : links) {
				if (Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(file)) {
					count++;
				}
			}
		}
		return count;
	}

	private String openInOtherClassLoader() throws Exception {
		List<URL> path = new ArrayList<>();
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			// Leaves out logging, because it would be configured in each class loader,
			// which takes long.
			if (!entry.contains("logback")) {
				path.add(Path.of(entry).toUri().toURL());
			}
		}
		try (URLClassLoader loader = new URLClassLoader(path.toArray(URL[]::new),
				ClassLoader.getPlatformClassLoader())) {
			Class<?> opener = loader.loadClass(Opener.class.getName());
			assertThat(opener).isNotSameAs(Opener.class);
			return (String) opener.getMethod("open", String.class).invoke(null, this.directory.toString());
		}
	}

	@Test
	void namesProcessOnlyIfKnown() throws IOException {
		try (JavaProcess process = JavaProcess.of(StoreDirectoryTests.Holder.class).arguments(this.directory).start()) {
			process.await("^holding (\\d+)$");
			Files.writeString(this.directory.resolve(StoreLayout.LOCK), "");
			assertThatExceptionOfType(StoreDirectoryException.class).isThrownBy(() -> TestLogs.contents(this.directory))
				.withMessageContaining("is in use by another process. Stop");
			process.kill();
		}
	}

	/** Tries to open the directory given as argument. */
	public static final class Opener {

		/** Log options. Those in TestLogs would require a logging system. */
		private static final LogOptions OPTIONS = new LogOptions(Fsync.ALWAYS, Duration.ofSeconds(1), 4_096);

		private Opener() {
		}

		public static String open(String directory) {
			try {
				FileLog.open(Path.of(directory), OPTIONS).close();
				return "opened";
			}
			catch (StoreDirectoryException ex) {
				return ex.toString();
			}
		}

		public static void main(String[] arguments) {
			System.out.println(open(arguments[0]));
		}

	}

}
