package com.example.leader;

record Plan(int number, String author) {

}
