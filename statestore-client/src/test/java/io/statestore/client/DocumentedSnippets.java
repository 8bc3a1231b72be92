package io.statestore.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** Compares the snippets of a page with the source of the test that runs them. */
public final class DocumentedSnippets {

	private static final Pattern SNIPPET = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

	private static final Pattern IMPORT = Pattern.compile("import ([\\w.]+);");

	private DocumentedSnippets() {
	}

	public static void assertAllIn(Class<?> test, String page, int minimum) throws IOException {
		assertAllIn(page, minimum, test);
	}

	/** Requires that one of several classes contains each snippet. */
	static void assertAllIn(String page, int minimum, Class<?>... classes) throws IOException {
		StringBuilder source = new StringBuilder();
		for (Class<?> type : classes) {
			source.append(normalized(
					Files.readString(Path.of("src/test/java/" + type.getName().replace('.', '/') + ".java"))));
		}
		List<String> snippets = SNIPPET.matcher(Files.readString(Path.of("../docs", page)))
			.results()
			.map((MatchResult match) -> normalized(match.group(1)))
			.toList();
		assertThat(snippets).hasSizeGreaterThanOrEqualTo(minimum)
			.allSatisfy((snippet) -> assertThat(source).contains(withoutImports(snippet)));
	}

	/** Checks imports by loading their classes, because a test needs other imports. */
	private static String withoutImports(String snippet) {
		return IMPORT.matcher(snippet).replaceAll((match) -> {
			assertThat(ClassUtils.isPresent(match.group(1), DocumentedSnippets.class.getClassLoader()))
				.as("class %s exists", match.group(1))
				.isTrue();
			return "";
		}).strip();
	}

	private static String normalized(String code) {
		return code.strip().replaceAll("\\s+", " ");
	}

}
