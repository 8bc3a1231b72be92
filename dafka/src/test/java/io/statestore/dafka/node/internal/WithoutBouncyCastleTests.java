package io.statestore.dafka.node.internal;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.dafka.CurveOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Keys without the optional library that provides the ciphers. */
class WithoutBouncyCastleTests {

	@Test
	void namesMissingDependency(@TempDir Path directory) throws Exception {
		TestKeys keys = new TestKeys(directory, "node");
		try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
			Class<?> optionsType = loader.loadClass(CurveOptions.class.getName());
			Object options = optionsType.getMethod("of", Path.class, Path.class)
				.invoke(null, keys.keyFile("node"), keys.peersFile());
			assertThatExceptionOfType(InvocationTargetException.class)
				.isThrownBy(() -> loader.loadClass(CurveSecurity.class.getName())
					.getMethod("check", optionsType, int.class)
					.invoke(null, options, 0))
				.satisfies(WithoutBouncyCastleTests::namesDependency);
			Class<?> type = loader.loadClass(KeyDirectory.class.getName());
			Object other = type.getConstructor(Path.class).newInstance(directory.resolve("new"));
			assertThatExceptionOfType(InvocationTargetException.class)
				.isThrownBy(
						() -> type.getMethod("create", List.class, boolean.class).invoke(other, List.of("a"), false))
				.satisfies(WithoutBouncyCastleTests::namesDependency);
			assertThat(directory.resolve("new")).doesNotExist();
		}
	}

	private static void namesDependency(InvocationTargetException failure) {
		assertThat(failure.getCause()).hasToString("io.statestore.dafka.DafkaException: CURVE requires Bouncy Castle,"
				+ " which is not on the class path. Add the dependency org.bouncycastle:bcprov-jdk18on");
	}

	private static URL[] classPath() throws Exception {
		List<String> files = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((file) -> !file.contains("bcprov"))
			.toList();
		URL[] urls = new URL[files.size()];
		for (int i = 0; i < urls.length; i++) {
			urls[i] = Path.of(files.get(i)).toUri().toURL();
		}
		return urls;
	}

}
