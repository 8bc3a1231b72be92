package com.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the pages in {@code docs/recipes} with the code that the tests run. */
class RecipePagesTests {

	static List<String> pages() throws IOException {
		try (Stream<Path> pages = Files.list(Path.of("../docs/recipes"))) {
			return pages.map((page) -> page.getFileName().toString())
				.filter((page) -> !page.equals("README.md"))
				.toList();
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void showsTheTestedFiles(String page) throws IOException {
		DocumentedSnippets.assertFilesOfPackage("recipes/" + page);
	}

}
