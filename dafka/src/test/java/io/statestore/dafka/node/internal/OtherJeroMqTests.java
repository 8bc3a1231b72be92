package io.statestore.dafka.node.internal;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.tools.ToolProvider;

import io.statestore.dafka.tower.Tower;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A version of JeroMQ without the fields that CURVE accesses. */
class OtherJeroMqTests {

	@Test
	void refusesToStartWithCurve(@TempDir Path directory) throws Exception {
		TestKeys keys = new TestKeys(directory, "tower");
		Path source = Files.createDirectories(directory.resolve("zmq/io")).resolve("IOObject.java");
		// The engine of a connection has another name.
		Files.writeString(source, "package zmq.io; public class IOObject { private Object engine; }");
		ToolProvider.getSystemJavaCompiler().run(null, null, null, source.toString());
		try (URLClassLoader loader = new URLClassLoader(classPath(directory), ClassLoader.getPlatformClassLoader())) {
			Class<?> type = loader.loadClass("io.statestore.dafka.CurveOptions");
			Object options = type.getMethod("of", Path.class, Path.class)
				.invoke(null, keys.keyFile("tower"), keys.peersFile());
			Object builder = loader.loadClass(Tower.class.getName()).getMethod("builder").invoke(null);
			builder.getClass().getMethod("bindHost", String.class).invoke(builder, "127.0.0.1");
			builder.getClass().getMethod("curve", type).invoke(builder, options);
			assertThatExceptionOfType(ReflectiveOperationException.class)
				.isThrownBy(() -> builder.getClass().getMethod("start").invoke(builder))
				.havingCause()
				.withMessageContaining("CURVE requires JeroMQ 0.6.0")
				.withMessageContaining("zmq.io.IOObject.handler");
		}
	}

	private static URL[] classPath(Path first) throws Exception {
		List<URL> urls = new ArrayList<>();
		urls.add(first.toUri().toURL());
		for (String file : System.getProperty("java.class.path").split(File.pathSeparator)) {
			urls.add(Path.of(file).toUri().toURL());
		}
		return urls.toArray(new URL[0]);
	}

}
