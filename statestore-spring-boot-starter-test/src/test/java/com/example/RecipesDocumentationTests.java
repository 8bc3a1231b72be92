package com.example;

import java.io.IOException;

import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;

/** Compares {@code docs/recipes.md} with the code that the tests run. */
class RecipesDocumentationTests {

	@Test
	void showsTestedFiles() throws IOException {
		DocumentedSnippets.assertFilesOfPackages("recipes.md");
	}

}
