package io.statestore.broker.log;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** {@link StoreLock} between processes, and between class loaders of one process. */
class StoreLockTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void refusedOpenInOtherClassLoaderKeepsLock(boolean known) throws Exception {
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			if (!known) {
				System.clearProperty(StoreLock.KEY_PREFIX + this.directory.toRealPath());
			}
			assertThat(openInOtherClassLoader()).contains("is in use by this process");
			try (JavaProcess process = JavaProcess.of(Opener.class).arguments(this.directory).start()) {
				process.await("is in use by process " + ProcessHandle.current().pid());
			}
		}
		assertThat(openInOtherClassLoader()).isEqualTo("opened");
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "has no /proc")
	void refusedOpenKeepsLockDuringGarbageCollection() throws Exception {
		String property = StoreLock.KEY_PREFIX + this.directory.toRealPath();
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			for (int i = 0; i < 2; i++) {
				System.clearProperty(property);
				assertThat(openInOtherClassLoader()).contains("is in use by this process");
				System.clearProperty(property);
				assertThat(Opener.open(this.directory.toString())).contains("is in use by this process");
				collectGarbage();
			}
			try (JavaProcess process = JavaProcess.of(Opener.class).arguments(this.directory).start()) {
				process.await("is in use by process " + ProcessHandle.current().pid());
			}
		}
		assertThat(openInOtherClassLoader()).isEqualTo("opened");
		assertThat(Opener.open(this.directory.toString())).isEqualTo("opened");
		try (JavaProcess process = JavaProcess.of(Opener.class).arguments(this.directory).start()) {
			process.await("^opened$");
		}
	}

	/** Returns when an unreachable channel has been closed. */
	private void collectGarbage() throws IOException {
		Path file = Files.createTempFile(this.directory, "garbage", null);
		FileChannel.open(file).position(0);
		Awaitility.await().until(() -> {
			System.gc();
			return descriptors(file) == 0;
		});
	}

	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "has no /proc")
	void repeatedRefusalsKeepOneFileOpen() throws IOException {
		String property = StoreLock.KEY_PREFIX + this.directory.toRealPath();
		try (FileLog log = FileLog.open(this.directory, TestLogs.SMALL)) {
			assertThat(log.storeId()).isNotNull();
			for (int i = 0; i < 10; i++) {
				System.clearProperty(property);
				assertThat(Opener.open(this.directory.toString())).contains("is in use by this process");
			}
			assertThat(descriptors(this.directory.resolve(StoreLayout.LOCK))).isEqualTo(2);
		}
		assertThat(Opener.open(this.directory.toString())).isEqualTo("opened");
		assertThat(descriptors(this.directory.resolve(StoreLayout.LOCK))).isZero();
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
			path.add(Path.of(entry).toUri().toURL());
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

		private Opener() {
		}

		public static String open(String directory) {
			try {
				FileLog.open(Path.of(directory), TestLogs.SMALL).close();
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
