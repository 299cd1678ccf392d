while true do
  printfn "still here"
  System.Threading.Thread.Sleep 60000
