#!/usr/bin/env bash
while true; do
  echo "still here"
  sleep 60
done
