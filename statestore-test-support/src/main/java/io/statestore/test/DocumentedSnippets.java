package io.statestore.test;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Assertions;

/**
 * Compares the Java snippets of a documentation page with the sources of the tests that
 * compile and run them.
 */
public final class DocumentedSnippets {

	private static final Pattern SNIPPET = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

	/** An import. For a static import, the class name ends before the member. */
	private static final Pattern IMPORT = Pattern.compile("import (?:static )?([\\w.]*?\\.[A-Z]\\w*)(?:\\.\\w+)?;");

	/** A snippet of Java or properties. */
	private static final Pattern FILE = Pattern.compile("```(java|properties)\\R(.*?)```", Pattern.DOTALL);

	private static final Pattern PACKAGE = Pattern.compile("```java\\Rpackage ([\\w.]+);");

	private DocumentedSnippets() {
	}

	/**
	 * Requires that each snippet on a page is contained in the given classes, apart from
	 * imports, whitespace, and the {@code static} modifier of classes. Imported classes
	 * must exist.
	 * @param page path of the page, relative to the {@code docs} folder next to the
	 * module
	 * @param minimum minimum number of snippets on the page
	 * @param tests top-level classes in the module's {@code src/test/java}
	 * @throws IOException if the page or a source cannot be read
	 */
	public static void assertAllIn(String page, int minimum, Class<?>... tests) throws IOException {
		StringBuilder source = new StringBuilder();
		for (Class<?> test : tests) {
			String file = test.getName().replace('.', '/') + ".java";
			source.append(normalized(Files.readString(Path.of("src/test/java", file)))).append(' ');
		}
		List<String> snippets = SNIPPET.matcher(Files.readString(Path.of("../docs", page)))
			.results()
			.map((MatchResult match) -> match.group(1))
			.toList();
		Assertions.assertTrue(snippets.size() >= minimum,
				page + " has " + snippets.size() + " snippets, but at least " + minimum + " were expected");
		String names = Arrays.stream(tests).map(Class::getSimpleName).collect(Collectors.joining(", "));
		for (String snippet : snippets) {
			requireImports(page, snippet, tests[0].getClassLoader());
			Assertions.assertTrue(source.indexOf(normalized(IMPORT.matcher(snippet).replaceAll(""))) >= 0,
					() -> "A snippet of " + page + " is not in " + names + ". Change one or the other:\n" + snippet);
		}
	}

	/**
	 * Requires that the snippets on a page equal, character by character, the source
	 * files of the packages that they name, that no file is missing, and that each
	 * package has tests. Each Java snippet is a complete file. Properties snippets are
	 * {@code application.properties} files in these packages.
	 * @param page path of the page, relative to the {@code docs} folder next to the
	 * module
	 * @throws IOException if the page or a source cannot be read
	 */
	public static void assertFilesOfPackages(String page) throws IOException {
		String text = Files.readString(Path.of("../docs", page));
		List<String> snippets = FILE.matcher(text).results().map((file) -> file.group(2)).sorted().toList();
		List<String> folders = PACKAGE.matcher(text)
			.results()
			.map((name) -> name.group(1).replace('.', '/'))
			.distinct()
			.toList();
		Assertions.assertFalse(folders.isEmpty(), page + " shows no complete class: begin it with its package");
		List<String> files = new ArrayList<>();
		for (String folder : folders) {
			List<String> sources = contents(Path.of("src/test/java", folder), ".java");
			Assertions.assertTrue(sources.removeIf((file) -> file.contains("@Test\n")),
					"No test runs the code of " + page + " in src/test/java/" + folder);
			files.addAll(sources);
			files.addAll(contents(Path.of("src/test/resources", folder), "application.properties"));
		}
		Collections.sort(files);
		Assertions.assertIterableEquals(files, snippets,
				page + " and the files in " + folders + " differ. Change one or the other");
	}

	private static List<String> contents(Path folder, String suffix) throws IOException {
		List<String> contents = new ArrayList<>();
		if (Files.exists(folder)) {
			try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, '*' + suffix)) {
				for (Path file : files) {
					contents.add(Files.readString(file));
				}
			}
		}
		return contents;
	}

	private static void requireImports(String page, String snippet, ClassLoader classLoader) {
		IMPORT.matcher(snippet).results().map((match) -> match.group(1)).forEach((name) -> {
			try {
				Class.forName(name, false, classLoader);
			}
			catch (ClassNotFoundException ex) {
				throw new AssertionError(page + " imports " + name + ", which does not exist", ex);
			}
		});
	}

	private static String normalized(String code) {
		return code.replaceAll("\\bstatic class ", "class ").replaceAll("\\s+", " ").replace(" .", ".").strip();
	}

}
