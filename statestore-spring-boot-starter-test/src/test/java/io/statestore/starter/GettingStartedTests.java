package io.statestore.starter;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** Compiles, runs, and tests the application of {@code docs/getting-started.md}. */
class GettingStartedTests {

	private static final Pattern FILE = Pattern.compile("^`([^`]+)`:\\R\\R```\\w+\\R(.*?)^```",
			Pattern.MULTILINE | Pattern.DOTALL);

	private static final String APPLICATION = "src/main/java/com/example/oven/OvenApplication.java";

	private static final String TESTS = "src/test/java/com/example/oven/OvenApplicationTests.java";

	private static final String PROPERTIES = "src/main/resources/application.properties";

	private final Path directory;

	private final Map<String, String> files = new LinkedHashMap<>();

	GettingStartedTests(@TempDir Path directory) {
		this.directory = directory;
	}

	@BeforeEach
	void extract() throws IOException {
		FILE.matcher(Files.readString(Path.of("../docs/getting-started.md")))
			.results()
			.forEach((file) -> this.files.put(file.group(1), file.group(2)));
		assertThat(this.files).containsOnlyKeys("pom.xml", PROPERTIES, APPLICATION, TESTS);
	}

	@Test
	void applicationHasThirtyLines() {
		assertThat(file(APPLICATION).lines().filter((line) -> !line.isBlank())).hasSizeLessThanOrEqualTo(30);
	}

	@Test
	@Tag("long")
	void applicationKeepsTemperatureAcrossRestart() throws Exception {
		Path classes = compile(APPLICATION);
		Files.writeString(classes.resolve("application.properties"), file(PROPERTIES));
		String[] arguments = { "--statestore.embedded.data-directory=" + this.directory.resolve("data") };
		try (JavaProcess first = run(classes, arguments)) {
			first.await("The oven has 22 °C");
			first.terminate();
			first.awaitExit();
		}
		try (JavaProcess second = run(classes, arguments)) {
			second.await("The oven has 2[3-9] °C");
			assertThat(second.output()).doesNotContain("The oven has 21 °C");
		}
	}

	@Test
	void documentedTestPasses() throws Exception {
		Path classes = compile(APPLICATION, TESTS);
		Files.writeString(classes.resolve("application.properties"), file(PROPERTIES));
		ClassLoader outer = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() }, outer)) {
			Thread.currentThread().setContextClassLoader(loader);
			LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
				.selectors(selectClass(loader.loadClass("com.example.oven.OvenApplicationTests")))
				.build();
			SummaryGeneratingListener summary = new SummaryGeneratingListener();
			LauncherFactory.create().execute(request, summary);
			assertThat(summary.getSummary().getFailures()).isEmpty();
			assertThat(summary.getSummary().getTestsSucceededCount()).isOne();
		}
		finally {
			Thread.currentThread().setContextClassLoader(outer);
		}
	}

	private static JavaProcess run(Path classes, String... arguments) throws Exception {
		try (URLClassLoader loader = new URLClassLoader(new URL[] { classes.toUri().toURL() })) {
			return JavaProcess.of(loader.loadClass("com.example.oven.OvenApplication"))
				.withoutTests()
				.withClassPathEntries(classes)
				.arguments((Object[]) arguments)
				.start();
		}
	}

	private Path compile(String... names) throws IOException {
		Path classes = Files.createDirectories(this.directory.resolve("classes"));
		Stream<String> options = Stream.of("-parameters", "-proc:none", "-d", classes.toString());
		List<String> sources = Stream.of(names).map(this::write).toList();
		assertThat(ToolProvider.getSystemJavaCompiler()
			.run(null, null, null, Stream.concat(options, sources.stream()).toArray(String[]::new))).isZero();
		return classes;
	}

	private String write(String name) {
		try {
			Path file = this.directory.resolve(name);
			Files.createDirectories(file.getParent());
			return Files.writeString(file, file(name)).toString();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String file(String name) {
		return this.files.getOrDefault(name, "");
	}

}
