package io.statestore.boot;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the messages quoted under "Troubleshooting" in {@code docs/monitoring.md} with
 * the strings in the compiled classes that produce them.
 * <p>
 * A quote is code with a space in the first column of the table. An ellipsis stands for
 * inserted values. All other parts must be in one constant, in this order, because a
 * concatenation is a single constant with placeholders (JEP 280), as is a format string.
 */
class TroubleshootingDocumentationTests {

	/** Classes with messages that users see. */
	private static final List<String> SOURCES = List.of("classpath*:io/statestore/**/*.class",
			"classpath*:org/springframework/boot/ssl/*.class");

	/** Sources of the command line, which is not on the class path. */
	private static final Path COMMAND_LINE = Path.of("../statestore-server/src/main/java");

	private static final Pattern FIRST_COLUMN = Pattern.compile("^\\|(.*?)\\|", Pattern.MULTILINE);

	private static final Pattern QUOTE = Pattern.compile("`([^`]* [^`]*)`");

	private static Set<String> texts = Set.of();

	@BeforeAll
	static void readTexts() throws IOException {
		texts = texts();
	}

	@Test
	void everyQuotedMessageIsInCode() throws IOException {
		List<String> quotes = quotes();
		assertThat(quotes).hasSizeGreaterThan(15);
		assertThat(quotes.stream().filter((quote) -> !isInTexts(quote)))
			.as("quotes in docs/monitoring.md that no class contains")
			.isEmpty();
	}

	@Test
	void changedMessageIsNoticed() {
		assertThat(isInTexts("was not sent within …")).isTrue();
		assertThat(isInTexts("was not shipped within …")).isFalse();
	}

	private static boolean isInTexts(String quote) {
		List<String> parts = Stream.of(quote.split("…")).map(String::strip).toList();
		return texts.stream().anyMatch((text) -> contains(text, parts));
	}

	private static boolean contains(String text, List<String> parts) {
		int position = 0;
		for (String part : parts) {
			int found = text.indexOf(part, position);
			if (found < 0) {
				return false;
			}
			position = found + part.length();
		}
		return true;
	}

	private static List<String> quotes() throws IOException {
		String page = Files.readString(Path.of("../docs/monitoring.md"));
		return FIRST_COLUMN.matcher(page.substring(page.indexOf("\n## Troubleshooting\n")))
			.results()
			.flatMap((row) -> QUOTE.matcher(row.group(1)).results())
			.map((MatchResult quote) -> quote.group(1))
			.toList();
	}

	private static Set<String> texts() throws IOException {
		Set<String> texts = new HashSet<>();
		for (String source : SOURCES) {
			for (Resource type : new PathMatchingResourcePatternResolver().getResources(source)) {
				if (!type.getURL().getPath().contains("/test-classes/")) {
					texts.addAll(constants(type));
				}
			}
		}
		try (Stream<Path> files = Files.walk(COMMAND_LINE)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				texts.add(Files.readString(file));
			}
		}
		return texts;
	}

	/**
	 * Returns the strings with spaces in a class's constant pool (JVM specification,
	 * 4.4).
	 */
	private static List<String> constants(Resource type) throws IOException {
		List<String> constants = new ArrayList<>();
		try (DataInputStream input = new DataInputStream(new ByteArrayInputStream(type.getContentAsByteArray()))) {
			input.skipNBytes(8);
			int count = input.readUnsignedShort();
			for (int i = 1; i < count; i++) {
				switch (input.readUnsignedByte()) {
					case 1 -> constants.add(input.readUTF());
					case 5, 6 -> {
						input.skipNBytes(8);
						i++;
					}
					case 7, 8, 16, 19, 20 -> input.skipNBytes(2);
					case 15 -> input.skipNBytes(3);
					default -> input.skipNBytes(4);
				}
			}
		}
		constants.removeIf((text) -> text.indexOf(' ') < 0);
		return constants;
	}

}
