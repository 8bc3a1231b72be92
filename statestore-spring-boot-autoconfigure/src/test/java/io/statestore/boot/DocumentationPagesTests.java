package io.statestore.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Form of the pages in {@code docs}. */
class DocumentationPagesTests {

	private static final Path DOCS = Path.of("..", "docs");

	/** Reference pages, which do not show a task. */
	private static final Set<String> REFERENCES = Set.of("README.md", "guarantees.md", "properties.md", "protocol.md");

	/** A line of one word in upper case stands for text that is still to be written. */
	private static final Pattern PLACEHOLDER = Pattern.compile("(?m)^[A-Z_]{3,}$");

	private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");

	static Stream<Path> pages() throws IOException {
		try (Stream<Path> files = Files.list(DOCS)) {
			return files.filter((file) -> file.toString().endsWith(".md")).sorted().toList().stream();
		}
	}

	static Stream<Path> taskPages() throws IOException {
		return pages().filter((page) -> !REFERENCES.contains(page.getFileName().toString()));
	}

	@ParameterizedTest
	@MethodSource("taskPages")
	void opensWithRecipeOrPicture(Path page) throws IOException {
		assertThat(introduction(page)).contains("```");
	}

	@ParameterizedTest
	@MethodSource("taskPages")
	void firstJavaSnippetHasImports(Path page) throws IOException {
		String introduction = introduction(page);
		if (introduction.contains("```java")) {
			assertThat(introduction).containsPattern("```java\n(package [\\w.]+;\n\n)?import ");
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void hasNoPlaceholders(Path page) throws IOException {
		assertThat(CODE.matcher(Files.readString(page)).replaceAll("")).doesNotContainPattern(PLACEHOLDER);
	}

	/** Returns the text before the first heading below the title. */
	private static String introduction(Path page) throws IOException {
		String text = Files.readString(page);
		int heading = text.indexOf("\n## ");
		return (heading < 0) ? text : text.substring(0, heading);
	}

}
