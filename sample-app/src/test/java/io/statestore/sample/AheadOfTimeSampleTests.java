package io.statestore.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a press with bean definitions that Spring generates ahead of time, like the
 * {@code process-aot} goal of Spring Boot's Maven plugin.
 */
@Tag("long")
@Timeout(240)
@Tag("nightly")
class AheadOfTimeSampleTests {

	@Test
	void runsWithGeneratedBeanDefinitions(@TempDir Path directory) throws IOException {
		Path sources = directory.resolve("sources");
		Path resources = directory.resolve("resources");
		Path classes = directory.resolve("classes");
		String broker = "-Dstatestore.embedded.enabled=true";
		try (JavaProcess processor = JavaProcess.of(SpringApplicationAotProcessor.class)
			.withoutTests()
			.options(broker)
			.arguments(SampleApplication.class.getName(), sources, resources, classes, "io.statestore", "sample-app",
					"--sample.name=press-1")
			.start()) {
			assertThat(processor.awaitExit()).as("%s", processor).isZero();
		}
		assertThat(resources.resolve("META-INF/native-image/io.statestore/sample-app/reachability-metadata.json"))
			.content()
			.contains("Packing", "JSR47Logger");
		compile(sources, classes);
		try (JavaProcess sample = JavaProcess.of(SampleApplication.class)
			.withoutTests()
			.withClassPathEntries(classes, resources)
			.options("-Dspring.aot.enabled=true", broker)
			.arguments("--sample.name=press-1")
			.start()) {
			sample.await("Starting AOT-processed SampleApplication");
			sample.await("has been granted leadership");
			sample.await("The setpoint is 150.0 °C");
		}
	}

	private static void compile(Path sources, Path classes) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of("-nowarn", "-proc:none", "-parameters", "-d", classes.toString(), "-cp",
						classes + System.getProperty("path.separator") + System.getProperty("java.class.path")));
		try (Stream<Path> files = Files.walk(sources)) {
			files.map(Path::toString).filter((file) -> file.endsWith(".java")).forEach(arguments::add);
		}
		assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
			.isZero();
	}

}
